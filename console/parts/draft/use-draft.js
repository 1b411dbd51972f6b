import { useMemo } from 'preact/hooks'
import { usePage } from '../../app/use-page.js'
import { draftName, keepDraft, readDraft, removeDraft } from './drafts.js'

/** The caller is a key that may not read its account: another one's draft would look like its own. */
const NONE = { first: undefined, keep: () => undefined, remove: () => undefined }

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
    if (session.tenantId === null) return NONE
    const name = draftName(`${session.tenantId}/${session.memberId ?? ''}`, page)
    return {
      first: readDraft(name),
      keep: (/** @type {Record<string, unknown>} */ value) => keepDraft(name, value),
      remove: () => removeDraft(name),
    }
  }, [page])
}
