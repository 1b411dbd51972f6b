/** Reasons why the content of a capture is not stored, the codes of the errors that refuse other data. */
export const LEFT_OUT = ['storage_allowance_used', 'storage_full'] as const
/** One of them. */
export type LeftOut = (typeof LEFT_OUT)[number]

/**
 * Returns the most bytes that the content of a call takes: it holds body and answer as JSON, and once more the texts of
 * each.
 */
export function mostContentBytes(call: { readonly sentBytes: number; readonly answerBytes: number }): number {
  return 2 * (call.sentBytes + call.answerBytes)
}
