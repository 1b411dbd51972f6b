import { html } from 'htm/preact'
import { get, withQuery } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { formatDay, formatNumber } from '../../parts/format.js'
import { usePaged } from '../../parts/read/use-paged.js'
import { Table } from '../../parts/table/table.js'

/** @typedef {import('zod').output<typeof import('../../../core/accounts/wire/teams/team-view.ts').TeamView>} Team */

/** The teams of the organisation. */
export function TeamsTable() {
  const { signal } = usePage()
  const teams = usePaged(async (cursor) => {
    /** @type {{ teams: readonly Team[], next_cursor: string | null }} */
    const page = await get(withQuery('/v1/teams', { limit: 25, cursor }), signal)
    return { items: page.teams, next: page.next_cursor }
  }, [])
  return html`<${Table}
    caption="Teams, newest first"
    paged=${teams}
    empty="No teams. Plans from Teams on include them; usage of a team’s keys is counted by team."
    keyOf=${(/** @type {Team} */ { id }) => id}
    filter=${(/** @type {Team} */ { name }) => name}
    columns=${COLUMNS}
  />`
}

/** @type {readonly import('../../parts/table/table.js').Column<Team>[]} */
const COLUMNS = [
  {
    title: 'Team',
    cell: ({ id, name }) => html`<a href="#/team/${id}">${name}</a>`,
    sort: ({ name }) => name,
    isWide: true,
  },
  {
    title: 'Members',
    cell: ({ members }) => formatNumber(members),
    sort: ({ members }) => members,
    isNumeric: true,
  },
  { title: 'You are', cell: ({ role }) => role },
  { title: 'Created by', cell: ({ source }) => (source === 'scim' ? 'identity provider' : 'a member') },
  { title: 'Since', cell: ({ created_at: at }) => formatDay(at), sort: ({ created_at: at }) => at },
]
