/** What the keys begin with by which a provider ends logins, and by which no answer of it counts twice. */
export const oidcPrefix = 'oidc:'
