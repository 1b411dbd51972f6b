import { call, get, withQuery } from '../../api.js'
import { ask, askFirst } from '../../parts/dialog.js'
import { element, say } from '../../parts/dom.js'
import { createTrouble } from '../../parts/error.js'
import { field, select } from '../../parts/form.js'
import { formatDay } from '../../parts/format.js'
import { pagedList } from '../../parts/paged-list.js'
import { rowButton } from '../../parts/buttons/row-button.js'
import { factList, heading, table } from '../../parts/table.js'
import { invite } from './invite.js'
import { ROLES } from './roles.js'

/** @typedef {import('./teams-table.js').Team} Team */
/** @typedef {import('zod').output<typeof import('../../../core/accounts/wire/teams/team-view.ts').TeamMemberRow>} TeamMember */

/** @type {import('../index.js').Page} */
export const teamPage = {
  title: 'Team',
  within: 'people',
  scope: 'team:read',
  async load({ argument, signal, reload }) {
    const trouble = createTrouble()
    const path = `/v1/teams/${encodeURIComponent(argument)}`
    /** @type {{ team: Team }} */
    const { team } = await get(path, signal)
    const isAdmin = team.role === 'admin' || team.role === 'owner'
    /** @param {() => Promise<unknown>} work answers whether something was done */
    const onclick = (work) => () =>
      trouble.run(async () => {
        if (await work()) reload()
      })
    const list = await pagedList({
      read: async (cursor) => {
        /** @type {{ members: readonly TeamMember[], next_cursor: string | null }} */
        const page = await get(withQuery(`${path}/members`, { limit: 50, cursor }), signal)
        return { items: page.members, next: page.next_cursor }
      },
      show: (members) => membersTable(members, path, isAdmin ? onclick : undefined),
      onError: trouble.show,
    })
    return [
      element('p', { class: 'lead' }, team.name),
      factList([
        ['You are', team.role],
        ['Made by', team.source === 'scim' ? 'the identity provider' : 'a member'],
        ['Since', formatDay(team.created_at)],
        ['Id', element('code', { class: 'long' }, team.id)],
      ]),
      trouble.outlet,
      isAdmin
        ? element(
            'div',
            { class: 'buttons' },
            element('button', { type: 'button', onclick: onclick(async () => await rename(path, team)) }, 'Rename'),
            element(
              'button',
              { type: 'button', class: 'danger', onclick: onclick(async () => await remove(path, signal)) },
              'Remove the team',
            ),
          )
        : element('span'),
      heading(
        'Members',
        isAdmin &&
          element(
            'button',
            { type: 'button', id: 'invite', class: 'primary', onclick: onclick(() => invite(`${path}/invite`)) },
            'Invite',
          ),
      ),
      list,
    ]
  },
}

/**
 * @param {readonly TeamMember[]} members
 * @param {string} path
 * @param {((work: () => Promise<unknown>) => () => void) | undefined} onclick
 */
function membersTable(members, path, onclick) {
  return table({
    caption: 'Members of the team, newest first',
    rows: members,
    empty: 'This team has no members.',
    columns: [
      {
        title: 'Member',
        cell: ({ email, display_name: name }) => (name === null ? email : `${name}, ${email}`),
        isWide: true,
      },
      { title: 'Role in the team', cell: ({ role }) => role },
      { title: 'Since', cell: ({ joined_at: at }) => formatDay(at) },
      {
        title: '',
        cell: (member) =>
          onclick &&
          element(
            'span',
            { class: 'buttons' },
            rowButton(
              'Role',
              member.email,
              onclick(async () => await changeRole(path, member)),
            ),
            rowButton(
              'Take out',
              member.email,
              onclick(async () => await takeOut(path, member)),
            ),
          ),
      },
    ],
  })
}

/**
 * @param {string} path
 * @param {Team} team
 */
async function rename(path, { name: before }) {
  const name = element('input', { name: 'name', maxlength: 100, required: true, value: before })
  return await ask({
    title: 'Rename the team',
    body: [field('Name', name)],
    confirm: 'Rename',
    perform: async () => {
      await call('PATCH', path, { name: name.value })
      return true
    },
  })
}

/**
 * @param {string} path
 * @param {AbortSignal} signal
 */
async function remove(path, signal) {
  const isDone = await askFirst({
    title: 'Remove this team?',
    text: 'Its members stay in the organisation, and its keys go on without a team. Its open invitations and shared provider keys go with it.',
    confirm: 'Remove the team',
    perform: async () => await call('DELETE', path),
  })
  if (isDone && !signal.aborted) location.hash = '#/people'
  return false
}

/**
 * @param {string} path
 * @param {TeamMember} member
 */
async function changeRole(path, { member_id: id, email, role }) {
  const wanted = select({ name: 'role' }, ROLES, role)
  return await ask({
    title: `Role of ${email} in the team`,
    body: [field('Role', wanted)],
    confirm: 'Change the role',
    perform: async () => {
      await call('PATCH', `${path}/members/${id}`, { role: wanted.value })
      return true
    },
  })
}

/**
 * @param {string} path
 * @param {TeamMember} member
 */
async function takeOut(path, { member_id: id, email }) {
  const isDone = await askFirst({
    title: `Take ${email} out of the team?`,
    text: 'They stay in the organisation. Provider keys that the team shares should be rotated then.',
    confirm: 'Take them out',
    perform: async () => await call('DELETE', `${path}/members/${id}`),
  })
  if (isDone) say(`${email} is out of the team.`)
  return isDone
}
