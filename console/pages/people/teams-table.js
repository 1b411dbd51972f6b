import { get, withQuery } from '../../api.js'
import { element } from '../../parts/dom.js'
import { formatDay, formatNumber } from '../../parts/format.js'
import { pagedList } from '../../parts/paged-list.js'
import { table } from '../../parts/table.js'

/** @typedef {import('zod').output<typeof import('../../../core/accounts/wire/teams/team-view.ts').TeamView>} Team */

/**
 * @param {AbortSignal} signal
 * @param {(error: unknown) => void} onError
 */
export async function teamsTable(signal, onError) {
  return await pagedList({
    read: async (cursor) => {
      /** @type {{ teams: readonly Team[], next_cursor: string | null }} */
      const page = await get(withQuery('/v1/teams', { limit: 25, cursor }), signal)
      return { items: page.teams, next: page.next_cursor }
    },
    show: (teams) =>
      table({
        caption: 'Teams, newest first',
        rows: teams,
        empty: 'No teams. Plans from Teams on have them: keys of a team count its use apart.',
        columns: [
          { title: 'Team', cell: ({ id, name }) => element('a', { href: `#/team/${id}` }, name), isWide: true },
          { title: 'Members', cell: ({ members }) => formatNumber(members), isNumeric: true },
          { title: 'You are', cell: ({ role }) => role },
          { title: 'Made by', cell: ({ source }) => (source === 'scim' ? 'identity provider' : 'a member') },
          { title: 'Since', cell: ({ created_at: at }) => formatDay(at) },
        ],
      }),
    onError,
  })
}
