import { actionInWords } from '../../core/actions.ts'

/** Returns an audit line as a sentence without its end: "Ada, from a browser, revoked a key". */
export function auditSentence(action: string, { text }: { readonly text: string }): string {
  const subject = `${text.charAt(0).toUpperCase()}${text.slice(1)}`
  // The means stand between commas.
  return `${subject}${text.includes(', ') ? ',' : ''} ${actionInWords(action)}`
}
