import { call } from '../../api.js'
import { badge } from '../../parts/badge.js'
import { ask, askFirst } from '../../parts/dialog.js'
import { element, say } from '../../parts/dom.js'
import { field, select } from '../../parts/form.js'
import { formatDay } from '../../parts/format.js'
import { rowButton } from '../../parts/buttons/row-button.js'
import { table } from '../../parts/table.js'
import { GIVEN_ROLES } from './roles.js'
/** @typedef {import('./read-members.js').Member} Member */

/**
 * The members of an organisation, with the actions of its admins.
 *
 * @param {{ members: readonly Member[], own: Member | undefined, isAdmin: boolean, path: string,
 *   onclick: (work: () => Promise<unknown>) => () => void }} input
 */
export function membersTable({ members, own, isAdmin, path, onclick }) {
  return table({
    caption: 'Members, newest first',
    rows: members,
    empty: 'No members.',
    columns: [
      { title: 'Member', cell: (member) => nameOf(member, member === own), isWide: true },
      { title: 'Role', cell: ({ role }) => role },
      { title: 'Came by', cell: ({ source }) => source },
      { title: 'State', cell: ({ state }) => badge(state === 'active' ? 'ready' : 'ended', state) },
      { title: 'Since', cell: ({ created_at: at }) => formatDay(at) },
      {
        title: '',
        cell: (member) => {
          if (!isAdmin || member === own || member.role === 'owner' || member.state !== 'active') return undefined
          return element(
            'span',
            { class: 'buttons' },
            rowButton(
              'Role',
              member.email,
              onclick(async () => await changeRole(path, member)),
            ),
            rowButton(
              'Remove',
              member.email,
              onclick(async () => await remove(path, member)),
            ),
          )
        },
      },
    ],
  })
}

/**
 * @param {Member} member
 * @param {boolean} isOwn
 */
function nameOf({ email, display_name: name }, isOwn) {
  return element(
    'span',
    { class: 'named' },
    element('span', {}, name ?? email, isOwn && ' (you)'),
    name !== null && element('span', { class: 'quiet' }, email),
  )
}

/**
 * @param {string} path
 * @param {Member} member
 */
async function changeRole(path, { id, email, role }) {
  const wanted = select({ name: 'role' }, GIVEN_ROLES, role)
  const done = await ask({
    title: `Role of ${email}`,
    body: [field('Role', wanted, 'With a smaller role, keys of the member that hold more than it may end at once.')],
    confirm: 'Change the role',
    perform: async () => {
      await call('PATCH', `${path}/members/${id}`, { role: wanted.value })
      return true
    },
  })
  if (done) say(`${email} is ${wanted.value} now.`)
  return done
}

/**
 * @param {string} path
 * @param {Member} member
 */
async function remove(path, { id, email }) {
  const isDone = await askFirst({
    title: `Remove ${email}?`,
    text: 'Their sessions and keys end at once, and their seat is free. What they made stays.',
    confirm: 'Remove the member',
    perform: async () => await call('DELETE', `${path}/members/${id}`),
  })
  if (isDone) say(`${email} is no member any more.`)
  return isDone
}
