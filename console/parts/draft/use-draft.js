import { useMemo } from 'preact/hooks'
import { usePage } from '../../app/use-page.js'
import { draftName, keepDraft, readDraft, removeDraft } from './drafts.js'

/**
 * The draft of a form, of the account that is signed in: it outlives the page and the session, and ends when the form
 * is sent or the person signs out.
 *
 * @param {string} page names the form
 * @returns {{ first: any, keep: (value: Record<string, unknown>) => void, remove: () => void }} `first` is the draft
 *   that was there when the form was opened
 */
export function useDraft(page) {
  const { session } = usePage()
  return useMemo(() => {
    // A key that may not read its account has one draft in this browser, until it signs out.
    const name = draftName(`${session.tenantId ?? 'key'}/${session.memberId ?? ''}`, page)
    return {
      first: readDraft(name),
      keep: (/** @type {Record<string, unknown>} */ value) => keepDraft(name, value),
      remove: () => removeDraft(name),
    }
  }, [page])
}
