import { get, withQuery } from '../../api.js'

/** @typedef {import('zod').output<typeof import('../../../core/accounts/wire/orgs/members.ts').MemberView>} Member */

/**
 * Reads all members of an organisation, newest first: at most the seats of its plan and the members who have left.
 *
 * @param {string} orgId
 * @param {AbortSignal} signal
 * @returns {Promise<readonly Member[]>}
 */
export async function readMembers(orgId, signal) {
  /** @type {Member[]} */
  const members = []
  /** @type {string | undefined} */
  let cursor
  do {
    /** @type {{ members: readonly Member[], next_cursor: string | null }} */
    const page = await get(withQuery(`/v1/orgs/${orgId}/members`, { limit: 200, cursor }), signal)
    members.push(...page.members)
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
  return members
}
