import { html } from 'htm/preact'
import { get, withQuery } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { RowButton } from '../../parts/buttons/row-button.js'
import { ErrorBox, useActions } from '../../parts/error.js'
import { Facts, Heading } from '../../parts/facts.js'
import { formatDay } from '../../parts/format.js'
import { Reading } from '../../parts/read/reading.js'
import { usePaged } from '../../parts/read/use-paged.js'
import { useRead } from '../../parts/read/use-read.js'
import { Table } from '../../parts/table/table.js'
import { changeTeamRole, removeTeam, renameTeam, takeOutOfTeam } from './change-team.js'
import { invite } from './invite.js'

/** @typedef {import('./teams-table.js').Team} Team */
/** @typedef {import('zod').output<typeof import('../../../core/accounts/wire/teams/team-view.ts').TeamMemberRow>} TeamMember */
/** @typedef {(work: () => Promise<unknown>) => () => void} OnClick */

/** One team and its members. */
export function TeamPage() {
  const { argument } = usePage()
  const path = `/v1/teams/${encodeURIComponent(argument)}`
  const read = useRead(async (signal) => /** @type {{ team: Team }} */ (await get(path, signal)), [path])
  return html`<${Reading} of=${read}>
    ${(/** @type {{ team: Team }} */ { team }) => html`<${TeamView} team=${team} path=${path} />`}
  <//>`
}

/** @param {{ team: Team, path: string }} props */
function TeamView({ team, path }) {
  const { signal, reload } = usePage()
  const { error, run } = useActions()
  const isAdmin = team.role === 'admin' || team.role === 'owner'
  /** @type {OnClick} work answers whether something was done */
  const onClick = (work) => () =>
    run(async () => {
      if (await work()) reload()
    })
  const invites = onClick(() => invite(`${path}/invite`))
  return html`<p class="lead">${team.name}</p>
    <${Facts}
      facts=${[
        ['You are', team.role],
        ['Made by', team.source === 'scim' ? 'the identity provider' : 'a member'],
        ['Since', formatDay(team.created_at)],
        ['Id', html`<code class="long">${team.id}</code>`],
      ]}
    />
    <${ErrorBox} error=${error} />
    ${
      isAdmin &&
      html`<div class="buttons">
        <button type="button" onClick=${onClick(async () => await renameTeam(path, team))}>Rename</button>
        <button type="button" class="danger" onClick=${onClick(async () => await removeTeam(path, signal))}>
          Remove the team
        </button>
      </div>`
    }
    <${Heading} text="Members">
      ${isAdmin && html`<button type="button" id="invite" class="primary" onClick=${invites}>Invite</button>`}
    <//>
    <${TeamMembers} path=${path} onClick=${isAdmin ? onClick : undefined} />`
}

/** @param {{ path: string, onClick: OnClick | undefined }} props */
function TeamMembers({ path, onClick }) {
  const { signal } = usePage()
  const members = usePaged(
    async (cursor) => {
      /** @type {{ members: readonly TeamMember[], next_cursor: string | null }} */
      const page = await get(withQuery(`${path}/members`, { limit: 50, cursor }), signal)
      return { items: page.members, next: page.next_cursor }
    },
    [path],
  )
  const actions = (/** @type {TeamMember} */ member) =>
    onClick &&
    html`<span class="buttons">
      <${RowButton} text="Role" of=${member.email} onClick=${onClick(async () => await changeTeamRole(path, member))} />
      <${RowButton}
        text="Remove"
        of=${member.email}
        onClick=${onClick(async () => await takeOutOfTeam(path, member))}
      />
    </span>`
  return html`<${Table}
    caption="Members of the team, newest first"
    paged=${members}
    empty="This team has no members."
    keyOf=${(/** @type {TeamMember} */ { member_id: id }) => id}
    columns=${[
      {
        title: 'Member',
        cell: (/** @type {TeamMember} */ { email, display_name: name }) =>
          name === null ? email : `${name}, ${email}`,
        isWide: true,
      },
      { title: 'Role in the team', cell: (/** @type {TeamMember} */ { role }) => role },
      { title: 'Since', cell: (/** @type {TeamMember} */ { joined_at: at }) => formatDay(at) },
      { title: '', cell: actions },
    ]}
  />`
}
