import { serveTasks } from '../../../../kernel/threads/serve-tasks.ts'
import { compareArchives } from '../../diff/compare-archives.ts'
import { meets } from '../facts/condition.ts'
import { findFailureModes } from '../failure-modes.ts'
import { factsOfPair } from '../slices/columns.ts'
import { joinContent, readRecords } from './join-content.ts'
import type { DiagnosisTasks, FoundModes, MatchInput } from './diagnosis-task.ts'
import type { RowSources } from './row-sources.ts'

/** Rows of a mode whose content is shown. */
const SHOWN_ROWS = 5

serveTasks<DiagnosisTasks>({ records: readRecords, modes, match, compare: compareArchives })

async function modes(sources: RowSources): Promise<FoundModes> {
  const { rows, checks } = await joinContent(sources)
  const found = findFailureModes(rows, checks)
  const shown = new Set(found.modes.flatMap(({ rowIds }) => rowIds.slice(0, SHOWN_ROWS)))
  const contents = rows.flatMap(({ id, content }) =>
    content !== null && shown.has(id) ? [[id, content] as const] : [],
  )
  return { found, contents: Object.fromEntries(contents) }
}

function match({ conditions, pairs }: MatchInput): readonly (readonly string[])[] {
  const facts = pairs.map((pair) => ({ id: pair.id, facts: factsOfPair(pair) }))
  return conditions.map((all) =>
    facts.filter((pair) => all.length > 0 && all.every((one) => meets(pair.facts, one))).map(({ id }) => id),
  )
}
