import type { z } from 'zod'
import { openAsBlob } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { FORMAT_FILES, type ExportFormat } from '../../core/learn/datasets/export/formats.ts'
import { BuiltVersion, DatasetAnswer, DiffAnswer, ListDatasetsAnswer } from '../../core/learn/wire/datasets/answers.ts'
import { usageError } from '../cli-error.ts'
import { saveBody } from '../compile/files/download.ts'
import type { CliContext } from '../context.ts'
import { requireWritable } from '../terminal/overwrite.ts'
import { formatBytes, formatTable, plainText } from '../terminal/table.ts'
import type { ExportFlags, ImportFlags, SplitFlags, VersionFlags } from './dataset-flags.ts'

/** Characters of a row in a list. */
const SHOWN = 60

/** `svc data import`. */
export async function importData(context: CliContext, paths: readonly string[], flags: ImportFlags): Promise<void> {
  const { dataset, namespace, name, ratio, captures, approved } = flags
  if (dataset === undefined && namespace === undefined)
    throw usageError('name a namespace by -n, or a dataset by --into')
  if (paths.length === 0 && captures !== true) throw usageError('name files, or take captures by --captures')
  const files = await filesOf(paths)
  const client = await context.client()
  const spec = {
    ...(dataset === undefined && { namespace, ...(name !== undefined && { name }) }),
    ...(ratio !== undefined && { train_ratio: ratio }),
    ...(captures === true && { from_captures: true }),
    ...(approved === true && { approved_only: true }),
  }
  const path = dataset === undefined ? '/v1/datasets' : `/v1/datasets/${encodeURIComponent(dataset)}/import`
  const body = async (): Promise<FormData> => {
    const form = new FormData()
    form.set('spec', JSON.stringify(spec))
    for (const file of files) form.append('file', await openAsBlob(file.path), file.name)
    return form
  }
  const idempotencyKey = crypto.randomUUID()
  const sent = files.length === 0 ? { json: spec } : { body }
  const made = await client.call(path, BuiltVersion, { method: 'POST', idempotencyKey, ...sent })
  context.output.result(made, () => inWords(made))
}

/** `svc data show`. */
export async function showData(context: CliContext, dataset: string | undefined, flags: VersionFlags): Promise<void> {
  const client = await context.client()
  if (dataset === undefined) {
    const list = await client.call('/v1/datasets', ListDatasetsAnswer)
    context.output.result(list, () =>
      list.datasets.length === 0
        ? 'no datasets yet: svc data import makes one'
        : formatTable(
            ['dataset', 'name', 'namespace', 'version', 'train', 'held out', 'state'],
            list.datasets.map((each) => [
              each.dataset_id,
              plainText(each.name),
              each.namespace,
              String(each.version),
              String(each.train_count),
              String(each.holdout_count),
              each.state,
            ]),
          ),
    )
    return
  }
  const query = flags.version === undefined ? '' : `?version=${flags.version}`
  const answer = await client.call(`/v1/datasets/${encodeURIComponent(dataset)}${query}`, DatasetAnswer)
  context.output.result(answer, () => [inWords(answer), ...qualityInWords(answer.quality)].join('\n'))
}

/** `svc data split`. */
export async function splitData(context: CliContext, dataset: string, flags: SplitFlags): Promise<void> {
  const client = await context.client()
  const made = await client.call(`/v1/datasets/${encodeURIComponent(dataset)}/split`, BuiltVersion, {
    method: 'POST',
    idempotencyKey: crypto.randomUUID(),
    json: {
      ...(flags.ratio !== undefined && { train_ratio: flags.ratio }),
      ...(flags.seed !== undefined && { seed: flags.seed }),
    },
  })
  context.output.result(made, () => inWords(made))
}

/** `svc data diff`. */
export async function diffData(
  context: CliContext,
  dataset: string,
  { from, to }: { readonly from?: number; readonly to?: number },
): Promise<void> {
  const client = await context.client()
  const query = new URLSearchParams({
    ...(from !== undefined && { from: String(from) }),
    ...(to !== undefined && { to: String(to) }),
  }).toString()
  const diff = await client.call(`/v1/datasets/${encodeURIComponent(dataset)}/diff?${query}`, DiffAnswer)
  context.output.result(diff, () =>
    [
      `version ${diff.from} to ${diff.to}: ${diff.added} added, ${diff.removed} removed, ${diff.kept} kept, ${diff.to_holdout} newly held out`,
      ...diff.rows.map(({ change, row_id: id, row }) =>
        [change, id ?? 'forgotten', plainText(JSON.stringify(row)).slice(0, SHOWN)].join('  '),
      ),
    ].join('\n'),
  )
}

/** `svc data export`. */
export async function exportData(context: CliContext, dataset: string, flags: ExportFlags): Promise<void> {
  const { format, side, version, output, force } = flags
  const file = output ?? `${dataset}.${FORMAT_FILES[format].ending}`
  await requireWritable(file, force)
  const client = await context.client()
  const query = new URLSearchParams({
    format,
    ...(side !== undefined && { side }),
    ...(version !== undefined && { version: String(version) }),
  }).toString()
  const saved = await saveBody(await client.open(`/v1/datasets/${encodeURIComponent(dataset)}/export?${query}`), file)
  context.output.result({ file, ...saved }, () => `${file} (${formatBytes(saved.size_bytes)})${hintOf(format)}`)
}

function hintOf(format: ExportFormat): string {
  return format === 'folder' ? '\nunpack it, and datasets.load_dataset opens the folder' : ''
}

/** Files to upload: the named files, and the files in named folders. */
async function filesOf(paths: readonly string[]): Promise<readonly { readonly path: string; readonly name: string }[]> {
  const lists = await Promise.all(
    paths.map(async (path) => {
      const facts = await stat(path).catch((error: unknown) => {
        throw usageError(`cannot read ${path}`, error)
      })
      if (!facts.isDirectory()) return [{ path, name: basename(path) }]
      const entries = await readdir(path, { recursive: true, withFileTypes: true })
      return entries
        .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
        .map((entry) => join(entry.parentPath, entry.name))
        .sort()
        .map((inner) => ({ path: inner, name: relative(path, inner).replaceAll('\\', '/') }))
    }),
  )
  return lists.flat()
}

type DatasetView = z.input<typeof DatasetAnswer>

type ShownVersion = Pick<
  DatasetView,
  'dataset_id' | 'version' | 'state' | 'row_count' | 'train_count' | 'holdout_count' | 'row_type' | 'merkle_root'
>

function inWords(version: ShownVersion): string {
  const { dataset_id: id, version: number, state, row_count: rows, train_count: train, holdout_count: held } = version
  if (state !== 'ready') return `${id} version ${number} is ${state}; svc data show ${id} follows it`
  return [
    `${id} version ${number}: ${rows} rows of type ${version.row_type ?? ''}, ${train} to learn from, ${held} held out`,
    `root ${version.merkle_root ?? ''}`,
  ].join('\n')
}

function qualityInWords(quality: DatasetView['quality']): readonly string[] {
  if (quality === null) return []
  const { duplicates, contradictions, label_noise: noise, pii, characters, tokens, contamination, change } = quality
  const classes = Object.entries(pii.classes).map(([name, count]) => `${count} ${name}`)
  return [
    `duplicates: ${duplicates.exact_removed} equal rows left out; ${duplicates.grouped_rows} near-duplicate rows in ${duplicates.groups} groups, each on one side`,
    ...(contradictions === null
      ? []
      : [`contradictions: ${contradictions.rows} rows give ${contradictions.inputs} inputs different outputs`]),
    ...(noise === null ? [] : [`labels: an estimated ${noise.estimated} of ${noise.rows} are wrong`]),
    ...noiseLines(noise),
    `sensitive text: ${pii.rows_with_finds} of ${pii.rows} rows${classes.length === 0 ? '' : ` (${classes.join(', ')})`}`,
    tokens === null
      ? `characters: ${characters.p50} in the median, ${characters.max} at most`
      : `tokens (${tokens.tokenizer}): ${tokens.p50} in the median, ${tokens.p95} at 95 %, ${tokens.max} at most`,
    `contamination: ${contamination.own.contaminated} of ${contamination.own.train_rows} rows share 13 words with a held-out row`,
    ...(contamination.benchmarks
      ? [`benchmarks: ${contamination.benchmarks.contaminated} rows share 13 words with a question of a pack`]
      : []),
    ...(change === null
      ? []
      : [
          `since the version before: ${change.added} added, ${change.removed} removed, ${change.to_holdout} newly held out`,
        ]),
  ]
}

/** The likeliest wrong labels. */
function noiseLines(noise: NonNullable<DatasetView['quality']>['label_noise']): readonly string[] {
  return (noise?.suspects ?? [])
    .slice(0, 5)
    .map(({ row_id: id, given, suggested }) => `  ${id}: ${plainText(given)}, likelier ${plainText(suggested)}`)
}
