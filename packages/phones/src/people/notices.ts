import type { Decided } from '@cool-ai/beach-core/ports'

/** The reply to a decision that did not count; nothing when it did. */
export const decisionNotices: Readonly<Record<Exclude<Decided, 'decided'>, string>> = {
  already: 'This has already been decided.',
  expired: 'This has expired; it counts as denied.',
  notFound: 'There is nothing for you to decide there any more.',
}

export const notices = {
  notAsked: 'This answer does not belong to a question that you were asked here. Nothing was done.',
  answerThere: 'To decide, tap a button of the question, or reply to that message with yes or no.',
  unclear:
    'I could not tell whether that is a yes or a no. Nothing was done. Please reply to the question with yes or no.',
  begun: 'We begin anew. What can I do for you?',
  unreadable: 'I cannot read this kind of message. Please send text or a file.',
  noFiles: 'I cannot take files here. Please send text.',
  tooLarge: 'This is too large for me. Please send something smaller.',
  fileRefused: 'I cannot take this file.',
  fileGone: 'I could not fetch the file. Please send it again.',
} as const
