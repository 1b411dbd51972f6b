import { sql, type RawBuilder, type SqlBool } from 'kysely'
import { firstTimedId } from '../../../core/kernel/ids.ts'
import type { CaptureFilter } from './read-columns.ts'

/** Ids between two places of a list, newest first. */
export interface IdRange {
  /** Ids below this one. */
  readonly before?: string | undefined
}

/**
 * Returns the conditions of a filter on the rows `c` of `captures`, without its text. Forgotten captures match none.
 * Times become ranges of ids, so that only the months between them are read.
 */
export function conditionsOf(tenantId: string, filter: CaptureFilter, { before }: IdRange = {}): RawBuilder<SqlBool> {
  const { ids, namespace, statuses, riskMin, riskMax, pii, from, to, sources, template, conversationId } = filter
  const all: RawBuilder<SqlBool>[] = [sql`c.tenant_id = ${tenantId}`, sql`c.forgotten_at is null`]
  if (ids !== undefined) all.push(sql`c.id = any(${[...ids]}::text[])`)
  if (namespace !== undefined) all.push(sql`c.namespace = ${namespace}`)
  if (from !== undefined) all.push(sql`c.id >= ${firstTimedId('cap', from)}`)
  if (to !== undefined) all.push(sql`c.id < ${firstTimedId('cap', to)}`)
  if (before !== undefined) all.push(sql`c.id < ${before}`)
  if (statuses !== undefined) {
    all.push(sql`c.status = any(${[...statuses]}::text[])`)
    // Names the condition of the index over reviewed captures.
    if (!statuses.includes('pending')) all.push(sql`c.status <> 'pending'`)
  }
  if (riskMin !== undefined) {
    all.push(sql`c.risk >= ${riskMin}`)
    if (riskMin >= 0.3) all.push(sql`c.risk >= 0.3`)
  }
  if (riskMax !== undefined) all.push(sql`c.risk <= ${riskMax}`)
  if (pii !== undefined) {
    const classes = sql`coalesce(c.sensitive_classes, c.redaction_classes)`
    // The second names the condition of the index.
    all.push(sql`${classes} && ${[...pii]}::text[]`, sql`${classes} <> '{}'`)
  }
  if (sources !== undefined) all.push(sql`c.source = any(${[...sources]}::text[])`)
  if (template !== undefined) all.push(sql`c.template = ${template}`)
  if (conversationId !== undefined) all.push(sql`c.conversation_id = ${conversationId}`)
  return sql`${sql.join(all, sql` and `)}`
}

/** Returns the pattern of `ilike` that finds a text anywhere. */
export function patternOf(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
}
