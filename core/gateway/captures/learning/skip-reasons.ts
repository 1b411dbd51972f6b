/** Why a capture is no example, in the order in which it is decided. */
export const SKIP_REASONS = [
  'not_approved',
  'no_conversation',
  'interrupted',
  'unreadable',
  'tools',
  'media',
  'more_turns',
  'no_input',
  'no_output',
  'too_large',
] as const
/** One of them. */
export type SkipReason = (typeof SKIP_REASONS)[number]

/** The reasons in words, behind a number of captures. */
export const SKIP_WORDS: Readonly<Record<SkipReason, string>> = {
  not_approved: 'not approved, forgotten or unknown',
  no_conversation: 'no conversation (embeddings, moderations, files, sounds)',
  interrupted: 'failed or cut off, without an output of a reviewer',
  unreadable: 'in a form that no artifact reads',
  tools: 'with tools',
  media: 'with images, sounds or files',
  more_turns: 'with several turns',
  no_input: 'without a text of the user',
  no_output: 'without a text in the answer',
  too_large: 'larger than an example may be',
}
