import { readFileSync } from 'node:fs'
import { readChangelog } from '../../../core/overview/reports/changelog.ts'
import { ChangelogAnswer, ChangelogQuery } from '../../../core/overview/wire/reports.ts'
import { DOCUMENTS } from '../../kernel/guard/public-limits.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute, type Route } from '../services.ts'

const FILE = new URL('../../../CHANGELOG.md', import.meta.url)

/** Returns the route of the changelog, which is read once. */
export function changelogRoute(): Route {
  const groups = readChangelog(readFileSync(FILE, 'utf8'))
  return defineRoute({
    method: 'get',
    path: '/v1/changelog',
    operationId: 'getChangelog',
    group: 'health',
    summary: 'List the changes of the service, newest first',
    auth: 'public',
    scope: undefined,
    limit: DOCUMENTS,
    query: ChangelogQuery,
    answers: { 200: envelope('The changes, by release and subject', ChangelogAnswer) },
  }).handle(async ({ query: { limit, since, tag } }) => {
    const matching = groups.filter(
      ({ date, tags }) =>
        (since === undefined || date === null || date >= since) && (tag === undefined || tags.includes(tag)),
    )
    const waves = matching.slice(0, limit).map(({ changes, tags, ...group }) => {
      return { ...group, summary: changes[0] ?? group.title, changes: [...changes], tags: [...tags] }
    })
    const latest = groups[0]?.wave ?? null
    return await Promise.resolve({
      status: 200,
      body: { count: waves.length, total: matching.length, latest, waves },
      headers: { 'Cache-Control': 'public, max-age=60' },
    })
  })
}
