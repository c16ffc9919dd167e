const free = { perMinute: Infinity }

/** A load is no attack. */
export const unlimited = {
  network: { requests: free, sessions: free, messages: free },
  principal: { messages: free },
}
