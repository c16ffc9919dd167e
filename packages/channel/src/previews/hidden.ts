/** What stands for a token, a code or a link that is made only when something is sent. As long as a code by SMS. */
export const hidden = '******'
