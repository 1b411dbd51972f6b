import { html } from 'htm/preact'
import { usePage } from '../../app/use-page.js'
import { Badge } from '../../parts/badge.js'
import { RowButton } from '../../parts/buttons/row-button.js'
import { formatDay } from '../../parts/format.js'
import { Table } from '../../parts/table/table.js'
import { changeMemberRole, removeMember } from './change-member.js'
/** @typedef {import('./read-members.js').Member} Member */

/**
 * The members of an organisation, with the actions of its admins.
 *
 * @param {{ members: readonly Member[], isAdmin: boolean, path: string,
 *   onClick: (work: () => Promise<unknown>) => () => void }} props
 */
export function MembersTable({ members, isAdmin, path, onClick }) {
  const { memberId } = usePage().session
  const actions = (/** @type {Member} */ member) => {
    const { id, email, role, state } = member
    if (!isAdmin || id === memberId || role === 'owner' || state !== 'active') return undefined
    return html`<span class="buttons">
      <${RowButton} text="Role" of=${email} onClick=${onClick(async () => await changeMemberRole(path, member))} />
      <${RowButton} text="Remove" of=${email} onClick=${onClick(async () => await removeMember(path, member))} />
    </span>`
  }
  return html`<${Table}
    caption="Members, newest first"
    rows=${members}
    empty="No members."
    keyOf=${(/** @type {Member} */ { id }) => id}
    filter=${(/** @type {Member} */ { email, display_name: name, role }) => `${name ?? ''} ${email} ${role}`}
    columns=${[
      {
        title: 'Member',
        cell: (/** @type {Member} */ member) => nameOf(member, member.id === memberId),
        sort: (/** @type {Member} */ { email, display_name: name }) => name ?? email,
        isWide: true,
      },
      { title: 'Role', cell: (/** @type {Member} */ { role }) => role, sort: (/** @type {Member} */ { role }) => role },
      { title: 'Joined by', cell: (/** @type {Member} */ { source }) => source },
      {
        title: 'State',
        cell: (/** @type {Member} */ { state }) =>
          html`<${Badge} status=${state === 'active' ? 'ready' : 'ended'} text=${state} />`,
      },
      { title: 'Since', cell: (/** @type {Member} */ { created_at: at }) => formatDay(at) },
      { title: '', cell: actions },
    ]}
  />`
}

/**
 * @param {Member} member
 * @param {boolean} isOwn
 */
function nameOf({ email, display_name: name }, isOwn) {
  return html`<span class="named">
    <span>${name ?? email}${isOwn && ' (you)'}</span>
    ${name !== null && html`<span class="quiet">${email}</span>`}
  </span>`
}
