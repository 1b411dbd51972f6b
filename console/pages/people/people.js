import { html } from 'htm/preact'
import { get } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { ErrorBox, useActions } from '../../parts/error.js'
import { Heading } from '../../parts/facts.js'
import { formatNumber } from '../../parts/format.js'
import { Reading } from '../../parts/read/reading.js'
import { useRead } from '../../parts/read/use-read.js'
import { accountOf } from '../../session.js'
import { Invitations } from './invitations.js'
import { invite } from './invite.js'
import { MembersTable } from './members-table.js'
import { newTeam } from './new-team.js'
import { handOver, leaveOrg } from './ownership.js'
import { readMembers } from './read-members.js'
import { renameOrg } from './rename-org.js'
import { TeamsTable } from './teams-table.js'

/** @typedef {import('zod').output<typeof import('../../../core/accounts/wire/orgs/orgs.ts').OrgView>} Org */
/** @typedef {import('./read-members.js').Member} Member */
/** @typedef {{ org: Org, members: readonly Member[] }} Read */

/** The members, invitations and teams of the organisation. */
export function PeoplePage() {
  const account = accountOf(usePage().session)
  if (account.kind !== 'anonymous') return html`<${OrgPage} path="/v1/orgs/${account.id}" id=${account.id} />`
  return html`<p class="empty">A workspace has no members. <a href="#/account">Create an account</a> to keep it.</p>`
}

/** @param {{ path: string, id: string }} props */
function OrgPage({ path, id }) {
  const read = useRead(
    async (signal) => {
      /** @type {[{ org: Org }, readonly Member[]]} */
      const [{ org }, members] = await Promise.all([get(path, signal), readMembers(id, signal)])
      return { org, members }
    },
    [path],
  )
  return html`<${Reading} of=${read}>
    ${(/** @type {Read} */ data) => html`<${OrgView} path=${path} ...${data} />`}
  <//>`
}

/** @param {Read & { path: string }} props */
function OrgView({ path, org, members }) {
  const { signal, session, reload } = usePage()
  const { error, run } = useActions()
  const isAdmin = session.can('team:admin') && (org.role === 'admin' || org.role === 'owner')
  const own = members.find((member) => member.id === session.memberId)
  /** @param {() => Promise<unknown>} work answers whether something was done */
  const onClick = (work) => () =>
    run(async () => {
      if (await work()) reload()
    })
  const invites = onClick(() => invite(`${path}/invites`))
  const renaming =
    isAdmin &&
    html`<button type="button" id="rename" onClick=${onClick(async () => await renameOrg(path, org.name))}>
      Rename
    </button>`
  return html`<${ErrorBox} error=${error} />
    <${Heading} text=${org.name}>${renaming}<//>
    <p class="quiet">
      ${formatNumber(org.seats_used)} of ${formatNumber(org.seats_max)} seats are taken. Each open invitation takes one.
    </p>
    <${Heading} text="Members">
      ${isAdmin && html`<button type="button" class="primary" id="invite" onClick=${invites}>Invite</button>`}
    <//>
    <${MembersTable} ...${{ members, isAdmin, path, onClick }} />
    ${isAdmin && html`<${Invitations} path=${path} onClick=${onClick} />`}
    <${Heading} text="Teams">
      ${
        session.can('team:write') &&
        html`<button type="button" id="new-team" onClick=${onClick(() => newTeam(signal))}>New team</button>`
      }
    <//>
    <${TeamsTable} />
    <div class="buttons spaced">
      ${
        org.role === 'owner'
          ? html`<button type="button" onClick=${onClick(() => handOver(path, members, own))}>
              Transfer the organisation
            </button>`
          : own &&
            html`<button type="button" class="danger" onClick=${onClick(() => leaveOrg(path))}>
              Leave the organisation
            </button>`
      }
    </div>`
}
