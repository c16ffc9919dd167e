/** What people are told that no agent has said. */
export const notices = {
  notYours: 'Only the approver who was asked can decide this. Nothing was done.',
  expired: 'This has expired; it counts as denied.',
  already: 'This has already been decided.',
  outdated: 'This has changed since it was sent. Nothing was done. Please say what you would like.',
  notAsked: 'This button does not belong to a question that was asked here. Nothing was done.',
  unclear: 'I could not tell whether that is a yes or a no. Nothing was done. Press a button, or say yes or no.',
  howToDecide: 'Who was asked presses a button, or says yes or no.',
  startOver: 'To do something else first, say “start over”.',
  elsewhere: 'To do something else first, begin another thread.',
  begun: 'Starting over. What can I do for you?',
  answersDirectly: 'I answer in our direct messages.',
  taken: 'One moment.',
  unreadable: 'I cannot read this kind of message. Please send text or a file.',
  noFiles: 'I cannot accept files here. Please send text.',
  tooLarge: 'This is too large. Please send something smaller.',
  fileRefused: 'I cannot accept this file.',
} as const

/** Answers that were neither a yes nor a no, after which further ones are messages of the conversation. */
export const maxReasks = 2

/** Words with which a direct conversation begins anew. */
export const newSessionWords: ReadonlySet<string> = new Set(['new conversation', 'start over'])
