import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOfArchive } from '../../core/compile/runtime/code/code.ts'
import type { CodeLanguage } from '../../core/compile/runtime/code/languages.ts'
import { printProgram } from '../../core/compile/language/print.ts'
import { parseProgram } from '../../core/compile/language/parse.ts'
import { learnedInWords } from '../../core/compile/wire/jobs/captures.ts'
import { scoringOf } from '../../core/compile/archive/members/documents.ts'
import { verifyArchive, type VerificationResult } from '../../core/compile/archive/verify.ts'
import { readArchiveFile } from './files/archive-file.ts'
import { isOnline } from './run/subject.ts'
import { findArtifactId } from './artifact-id.ts'
import { CliError, usageError } from '../cli-error.ts'
import type { CliContext } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { describeAdapter, readTraining } from '../terminal/recipes/adapter-text.ts'
import { describeComposite } from '../terminal/recipes/composite-text.ts'
import { confirmOverwrite } from '../terminal/overwrite.ts'
import { describeTabular } from '../terminal/recipes/tabular-text.ts'
import { paint } from '../terminal/output.ts'
import { formatBytes, formatFacts, formatTable } from '../terminal/table.ts'

type Opened = NonNullable<VerificationResult['opened']>

/** Options of `svc inspect`. */
export interface InspectOptions {
  /** Print the recipe as code of this language. */
  readonly as?: CodeLanguage
  /** Folder for the files of the code. */
  readonly out?: string
  /** Overwrite files of the folder without asking. */
  readonly force?: boolean
}

/** `svc inspect`: shows the content of an archive, from a file or the server, after verifying it. */
export async function inspect(context: CliContext, target: string, options: InspectOptions = {}): Promise<number> {
  if (options.out !== undefined && options.as === undefined) throw usageError('--out needs --as: it takes the code')
  const bytes = isOnline(target) ? await fetchArchive(context, target) : await readArchiveFile(target)
  const { opened, manifest, fingerprint, detail, reason } = await verifyArchive(bytes)
  if (opened === undefined || manifest === undefined) {
    throw new CliError(`${target} is not a valid archive: ${detail}`, { code: reason ?? 'invalid_archive' })
  }
  if (options.as !== undefined) return await printCode(context, opened, options.as, options)
  const { recipe } = opened.content
  const { build, members } = opened.archive
  const training = readTraining(members)
  const report = {
    size_bytes: bytes.length,
    signer: fingerprint,
    manifest,
    build,
    recipe,
    certificate: opened.content.certificate,
    ...(training && { training }),
  }
  context.output.result(report, () => describe(bytes.length, fingerprint, opened))
  return EXIT.ok
}

async function printCode(
  context: CliContext,
  { content, archive }: Opened,
  language: CodeLanguage,
  { out: folder, force }: InspectOptions,
): Promise<number> {
  const files = codeOfArchive(content, archive.manifest.task, language)
  if (folder === undefined) {
    const [binary] = files.filter(({ encoding }) => encoding === 'base64')
    if (binary !== undefined && !context.output.isJson) {
      throw usageError(`the code reads ${binary.name}: name a folder for both with --out`)
    }
    context.output.result({ language, files }, () =>
      files
        .map((file) => file.content)
        .join('\n')
        .trimEnd(),
    )
    return EXIT.ok
  }
  await mkdir(folder, { recursive: true })
  const written = files.map(({ name }) => join(folder, name))
  for (const file of written) await confirmOverwrite(file, force)
  for (const [at, file] of files.entries()) {
    const encoding = file.encoding === 'base64' ? 'base64' : 'utf8'
    await writeFile(written[at] ?? join(folder, file.name), file.content, encoding)
  }
  context.output.result({ language, written }, () => written.map((file) => `wrote ${file}`).join('\n'))
  return EXIT.ok
}

async function fetchArchive(context: CliContext, target: string): Promise<Uint8Array> {
  const client = await context.client()
  const jobId = await findArtifactId(client, target)
  const response = await client.open(`/v1/compile/${encodeURIComponent(jobId)}/.svc`)
  return new Uint8Array(await response.arrayBuffer())
}

function describe(sizeBytes: number, signer: string | undefined, { content, archive }: Opened): string {
  const { manifest, members, build } = archive
  const { recipe, evals } = content
  const facts = formatFacts([
    ['task', manifest.task],
    ['recipe', `${recipe.kind} (${recipe.id})`],
    ['K-score', `${manifest.k_score.toFixed(4)} (floor ${manifest.k_score_floor})`],
    ...describeAccepted(manifest),
    [
      'evaluated',
      `${evals.correct} of ${evals.n} right, ${evals.abstained} abstained (${scoringOf(evals).replaceAll('_', '-')})`,
    ],
    ...describeDoubt(content),
    ...describeCaptures(build),
    ['base model', manifest.base_model],
    ['CID', manifest.cid],
    ['job', manifest.job_id],
    ['created', manifest.created_at],
    ['signer', `${signer ?? ''} (svc verify shows whether it is trusted)`],
    ['size', formatBytes(sizeBytes)],
  ])
  const table = formatTable(
    ['member', 'bytes', 'role', 'sha256'],
    [...members].map(([name, bytes]) => {
      const listed = manifest.members[name]
      return [name, String(bytes.length), listed?.role ?? 'seal', listed?.sha256.slice(7, 23) ?? '']
    }),
  )
  return [facts, '', paint('bold', 'recipe'), describeRecipe(content, members), '', table].join('\n')
}

/** Says that the K-score is below its floor, and who accepted it. */
function describeAccepted({ accepted }: Opened['archive']['manifest']): [string, string][] {
  return accepted === undefined ? [] : [['accepted', `below its floor, by ${accepted.by}, ${accepted.at}`]]
}

/** Says which captures were learned from. */
function describeCaptures({ captures }: Opened['archive']['build']): [string, string][] {
  return captures === undefined ? [] : [['learned from', learnedInWords(captures)]]
}

/** Says what a run does in doubt, and what the certificate promises. */
function describeDoubt({ certificate, verifier }: Opened['content']): [string, string][] {
  if (verifier.spec === 'svc-verifier-1') return []
  const { checks, inputs, on_doubt: onDoubt } = verifier
  const alarms = `${inputs.checks.length} of the input, which refuse ${inputs.false_alarms} of ${inputs.rows} rows`
  return [
    ['checks', `${checks.length} of the answer, ${alarms}`],
    ['in doubt', onDoubt === 'abstain' ? 'abstains' : 'answers'],
    ...(certificate === null ? [] : [['certificate', certificate.statement] satisfies [string, string]]),
    ...(certificate?.status === 'certified'
      ? [
          [
            'coverage',
            `${certificate.answered} of ${certificate.n} rows answered, from a confidence of ${certificate.threshold}`,
          ] satisfies [string, string],
        ]
      : []),
  ]
}

function describeRecipe({ recipe, evals }: Opened['content'], members: ReadonlyMap<string, Uint8Array>): string {
  if (recipe.kind === 'composite') return describeComposite(recipe.composite, ('leaves' in evals && evals.leaves) || [])
  if (recipe.kind === 'program') return printProgram(parseProgram(recipe.program))
  if (recipe.kind === 'lora') return describeAdapter(recipe, members)
  if (recipe.kind === 'tabular') return describeTabular(recipe, members.get('weights.bin'))
  const { labels, threshold } = recipe.classifier
  const names = Array.isArray(labels) ? labels.map(String).join(', ') : ''
  return [
    `linear classifier over hashed n-grams, ${formatBytes(recipe.weights.size_bytes)} of weights`,
    `labels: ${names}`,
    ...(typeof threshold === 'number' ? [`abstains below a confidence of ${threshold}`] : []),
  ].join('\n')
}
