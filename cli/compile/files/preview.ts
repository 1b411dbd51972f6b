import { PreviewCompileAnswer } from '../../../core/compile/wire/jobs/plan.ts'
import type { TableMapping } from '../../../core/compile/rows/table/mapping.ts'
import { clientOrGuest } from '../../accounts/workspace.ts'
import type { CliContext } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'
import { describeTable } from '../../terminal/table-text.ts'
import type { Examples } from './examples.ts'

/**
 * `svc compile FILE --preview`: shows how a compile would read a file, and exits 2 when it would be refused. Needs no key.
 */
export async function previewExamples(
  context: CliContext,
  examples: Examples,
  mapping: TableMapping | undefined,
): Promise<number> {
  const client = await clientOrGuest(context)
  const { table, note } = await client.call('/v1/compile/preview', PreviewCompileAnswer, {
    method: 'POST',
    body: async () => await examples.makeForm(mapping === undefined ? {} : { mapping }),
  })
  context.output.result(table, () => (table === null ? note : describeTable(table)))
  return table !== null && table.problems.length > 0 ? EXIT.usage : EXIT.ok
}
