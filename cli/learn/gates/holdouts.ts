import { newId } from '../../../core/kernel/ids.ts'
import {
  DeleteHoldoutAnswer,
  HoldoutView,
  ListHoldoutsAnswer,
  StoreHoldoutAnswer,
} from '../../../core/learn/wire/holdouts.ts'
import type { z } from 'zod'
import type { CliContext } from '../../context.ts'
import { confirmFinal } from '../../terminal/overwrite.ts'
import { formatTable, formatTime, plainText } from '../../terminal/table.ts'
import { readRowsFile } from '../read-rows.ts'

/** Options of `svc holdout add`. */
export interface AddHoldoutFlags {
  readonly namespace?: string
  readonly tag?: readonly string[]
  readonly replace?: boolean
}

/** Options of a step that has no way back. */
export interface FinalFlags {
  /** True to do it without a question. */
  readonly yes?: boolean
}

const PATH = '/v1/eval/tenant_holdout'

/** `svc holdout add`. */
export async function addHoldout(
  context: CliContext,
  { name, file }: { readonly name: string; readonly file: string },
  { namespace, tag, replace }: AddHoldoutFlags,
): Promise<void> {
  const json = {
    corpus_id: name,
    rows: await readRowsFile(file),
    ...(namespace !== undefined && { namespace }),
    ...(tag !== undefined && { tags: tag }),
    ...(replace === true && { replace }),
  }
  const client = await context.client()
  const answer = await client.call(PATH, StoreHoldoutAnswer, { method: 'POST', json, idempotencyKey: newId('req') })
  context.output.result(answer, () =>
    [
      `${answer.corpus_id} is sealed: ${answer.row_count} rows, ${answer.skipped} repeated ones left out`,
      `svc eval gate CANDIDATE BASELINE --holdout ${answer.corpus_id} decides on them`,
    ].join('\n'),
  )
}

/** `svc holdout list`. */
export async function listHoldouts(context: CliContext): Promise<void> {
  const client = await context.client()
  const answer = await client.call(PATH, ListHoldoutsAnswer)
  context.output.result(answer, () =>
    answer.corpora.length === 0
      ? 'no holdouts: svc holdout add NAME FILE seals one'
      : formatTable(
          ['name', 'state', 'rows', 'attempts', 'promoted', 'stored'],
          answer.corpora.map((corpus) => [
            corpus.corpus_id,
            corpus.state,
            String(corpus.row_count),
            String(corpus.attempts),
            String(corpus.promotions),
            formatTime(corpus.stored_at),
          ]),
        ),
  )
}

/** `svc holdout show`. */
export async function showHoldout(context: CliContext, name: string): Promise<void> {
  const client = await context.client()
  const answer = await client.call(pathOf(name), HoldoutView)
  context.output.result(answer, () => textOf(answer))
}

/** `svc holdout delete`. */
export async function deleteHoldout(context: CliContext, name: string, { yes }: FinalFlags): Promise<void> {
  const client = await context.client()
  const { corpus_id: id, row_count: rows } = await client.call(pathOf(name), HoldoutView)
  await confirmFinal(`the ${rows} rows of ${id} and their key will be deleted`, yes)
  const answer = await client.call(pathOf(name), DeleteHoldoutAnswer, { method: 'DELETE' })
  context.output.result(answer, () => `${answer.corpus_id} is deleted: its rows and their key are gone`)
}

/** `svc holdout reveal`. */
export async function revealHoldout(context: CliContext, name: string, { yes }: FinalFlags): Promise<void> {
  const client = await context.client()
  const { corpus_id: id, row_count: rows } = await client.call(pathOf(name), HoldoutView)
  await confirmFinal(`the ${rows} rows of ${id} will be readable, and no gate will take it any more`, yes)
  const answer = await client.call(`${pathOf(name)}/reveal`, HoldoutView, { method: 'POST', json: {} })
  context.output.result(
    answer,
    () => `${answer.corpus_id} is revealed: its rows may be learned from, and no gate takes it`,
  )
}

function pathOf(name: string): string {
  return `${PATH}/${encodeURIComponent(name)}`
}

function textOf(corpus: z.input<typeof HoldoutView>): string {
  const { exhausted, next_level: level, smallest_gain: gain } = corpus
  return [
    `${corpus.corpus_id}: ${corpus.state}, ${corpus.row_count} rows, stored ${formatTime(corpus.stored_at)}`,
    ...(corpus.tags.length === 0 ? [] : [`tags: ${plainText(corpus.tags.join(', '))}`]),
    `attempts: ${corpus.attempts}, promoted: ${corpus.promotions}`,
    exhausted
      ? 'exhausted: no result on these rows could pass the level that is left'
      : `the next attempt tests at ${level.toPrecision(3)}: it needs a gain of ${gain ?? '?'} rows, if no row is lost`,
    `root of the rows: ${corpus.corpus_sha256}`,
  ].join('\n')
}
