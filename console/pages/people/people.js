import { get } from '../../api.js'
import { element } from '../../parts/dom.js'
import { createTrouble } from '../../parts/error.js'
import { formatNumber } from '../../parts/format.js'
import { heading } from '../../parts/table.js'
import { accountOf } from '../../session.js'
import { invitations } from './invitations.js'
import { invite } from './invite.js'
import { membersTable } from './members-table.js'
import { newTeam } from './new-team.js'
import { handOver, leaveOrg } from './ownership.js'
import { readMembers } from './read-members.js'
import { teamsTable } from './teams-table.js'

/** @typedef {import('zod').output<typeof import('../../../core/accounts/wire/orgs/orgs.ts').OrgView>} Org */

/** @type {import('../index.js').Page} */
export const peoplePage = {
  title: 'People',
  scope: 'team:read',
  async load({ signal, session, reload }) {
    const account = accountOf(session)
    if (account.kind === 'anonymous') {
      const way = element('a', { href: '#/account' }, 'Make it an account')
      return [element('p', { class: 'empty' }, 'A workspace without an account has no members. ', way, '.')]
    }
    const trouble = createTrouble()
    const path = `/v1/orgs/${account.id}`
    /** @type {[{ org: Org }, readonly import('./read-members.js').Member[]]} */
    const [{ org }, members] = await Promise.all([get(path, signal), readMembers(account.id, signal)])
    const isAdmin = session.can('team:admin') && (org.role === 'admin' || org.role === 'owner')
    /** @param {() => Promise<unknown>} work answers whether something was done */
    const onclick = (work) => () =>
      trouble.run(async () => {
        if (await work()) reload()
      })
    const inviting = element(
      'button',
      { type: 'button', class: 'primary', id: 'invite', onclick: onclick(() => invite(`${path}/invites`)) },
      'Invite',
    )
    const making = element(
      'button',
      { type: 'button', id: 'new-team', onclick: onclick(async () => await newTeam(signal)) },
      'New team',
    )
    const seats = `${formatNumber(org.seats_used)} of ${formatNumber(org.seats_max)} seats are taken; open invitations hold one each.`
    const own = members.find(({ id }) => id === session.memberId)
    return [
      trouble.outlet,
      element('p', { class: 'quiet' }, seats),
      heading('Members', isAdmin && inviting),
      membersTable({ members, own, isAdmin, path, onclick }),
      ...(isAdmin ? await invitations(path, signal, onclick, trouble.show) : []),
      heading('Teams', session.can('team:write') && making),
      await teamsTable(signal, trouble.show),
      element(
        'div',
        { class: 'buttons spaced' },
        org.role === 'owner'
          ? element(
              'button',
              { type: 'button', onclick: onclick(() => handOver(path, members, own)) },
              'Hand the organisation over',
            )
          : own &&
              element(
                'button',
                { type: 'button', class: 'danger', onclick: onclick(() => leaveOrg(path)) },
                'Leave the organisation',
              ),
      ),
    ]
  },
}
