import { createReadStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DEFAULT_BASE } from '../../../core/compile/stages/lora/lora-options.ts'
import { readLines } from '../../../core/compile/rows/intake/byte-lines.ts'
import { GATEWAY_ERRORS } from '../../../core/gateway/errors.ts'
import { DomainError } from '../../../core/kernel/errors.ts'
import { LEARN_ERRORS, isErrorCode } from '../../../core/learn/errors.ts'
import type { BuildInput, VersionFiles } from '../../../core/learn/datasets/build/build-task.ts'
import { listBases } from '../../../core/model/files/find-base.ts'
import { putBlob } from '../../../db/kernel/blobs/put-blob.ts'
import { readBlob } from '../../../db/kernel/blobs/read-blob.ts'
import { findReadyVersion, findVersion, type VersionRow } from '../../../db/learn/datasets/find-dataset.ts'
import { beginBuild, failBuild, listFiles, publishBuild } from '../../../db/learn/datasets/run-build.ts'
import { inSlot } from '../../compute-slot.ts'
import { codeOfError } from '../../kernel/failures.ts'
import { COMPUTE_STILL_MS, runActivity, type RunningActivity } from '../../kernel/run-activity.ts'
import { operationOf, type DatasetDeps, type VersionInput } from './deps.ts'
import { gatherCaptures, usedCaptures } from './gather-captures.ts'
import { gatherFiles, save } from './gather-files.ts'
import { gatherHoldouts } from './gather-holdouts.ts'
import { gatherPacks } from './gather-packs.ts'
import { refuseSealedRows } from './refuse-sealed.ts'
import { makeWorkFolder } from './work-folder.ts'

/** Builds of a version whose captures are forgotten while it is built. */
const ATTEMPTS = 5
const LINE_BYTES = 4096
/** A stored row is its content with id, source and conversation, in escaped JSON. */
const STORED_TIMES = 8

/**
 * Builds a version and publishes it. Safe to repeat: an interrupted attempt leaves nothing visible, and the next one
 * starts over with the same version before. A permanent error ends the version here, with its message for people; the
 * workflow gets the code.
 */
export async function buildDataset(deps: DatasetDeps, ref: VersionInput): Promise<{ readonly rows: number }> {
  return await runActivity(
    deps.log,
    async (activity) => {
      const op = operationOf(deps, ref)
      try {
        const version = await beginBuild(op, ref)
        if (version === null) return await endOf(deps, ref)
        return await inSlot(
          deps,
          { lane: 'short', work: { tenantId: ref.tenantId, datasetId: ref.datasetId } },
          activity,
          async (working) => await buildUntilWhole(deps, ref, version, working),
        )
      } catch (error) {
        if (!activity.signal.aborted && error instanceof DomainError && !error.facts.retryable) {
          await failBuild(op, ref, { code: codeOfError(error, isErrorCode), message: error.message })
        }
        throw error
      }
    },
    { stillMs: COMPUTE_STILL_MS },
  )
}

async function buildUntilWhole(
  deps: DatasetDeps,
  ref: VersionInput,
  version: VersionRow,
  activity: RunningActivity,
): Promise<{ readonly rows: number }> {
  for (let attempt = 1; ; attempt++) {
    const folder = await makeWorkFolder(deps.now())
    try {
      return await buildIn(deps, ref, version, { folder, activity })
    } catch (error) {
      if (!GATEWAY_ERRORS.capture_forgotten.matches(error) || attempt === ATTEMPTS) throw error
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
}

interface Place {
  readonly folder: string
  readonly activity: RunningActivity
}

async function buildIn(
  deps: DatasetDeps,
  ref: VersionInput,
  version: VersionRow,
  { folder, activity }: Place,
): Promise<{ readonly rows: number }> {
  const op = operationOf(deps, ref)
  const { source, split, namespace } = version
  const given = join(folder, 'given')
  await mkdir(given)
  const files = await gatherFiles(deps, ref, await listFiles(op, ref), { folder: given, activity })
  const captures = source.captures === null ? null : join(folder, 'captures.jsonl')
  const skipped =
    captures === null
      ? {}
      : await gatherCaptures(op, { namespace, source, limits: deps.limits }, { path: captures, activity })
  const input: BuildInput = {
    folder,
    files,
    captures,
    previous: source.base === null ? null : await savePrevious(deps, ref, source.base, { folder, activity }),
    removed: source.removed,
    split: {
      trainRatio: split.train_ratio,
      minTrain: split.min_train,
      minHoldout: split.min_holdout,
      seed: split.seed,
      isStrict: split.is_strict,
    },
    bounds: {
      rowBytes: deps.limits.example_bytes,
      jsonDepth: deps.limits.json_depth,
      inflatedBytes: deps.limits.upload_bytes,
    },
    mostRows: deps.limits.dataset_rows,
    tokenizer: await tokenizerOf(deps),
    benchPacks: await gatherPacks(deps, ref, { namespace, path: join(folder, 'packs.jsonl'), activity }),
    otherHoldouts: await gatherHoldouts(deps, ref, { namespace, path: join(folder, 'others.jsonl'), activity }),
  }
  const summary = await deps.builds.build(input, {
    signal: activity.signal,
    onProgress: (step, done) => activity.note({ step, done }),
  })
  await refuseSealedRows(op, {
    path: summary.files.rows,
    lineBytes: STORED_TIMES * deps.limits.example_bytes,
    onRow: () => activity.progress(),
  })
  const store = async (path: string) => await putBlob(deps.db, readCounted(path, activity), { signal: activity.signal })
  const built = {
    summary,
    rows: await store(summary.files.rows),
    index: await store(summary.files.index),
    held: await store(summary.files.held),
    skipped,
    captures: () => usedCaptures(readLines(createReadStream(summary.files.captures), LINE_BYTES)),
  }
  await publishBuild(op, ref, built)
  return { rows: summary.rows }
}

/**
 * Reads a file and reports progress. The file is opened when the first piece is asked for: a stream that is opened before
 * and then not read, since its store has failed, would end the process with the error of a file that is gone.
 */
async function* readCounted(path: string, activity: RunningActivity): AsyncGenerator<Uint8Array> {
  for await (const piece of createReadStream(path)) {
    activity.progress()
    yield piece
  }
}

/** Copies the files of the version before. */
async function savePrevious(
  deps: DatasetDeps,
  ref: VersionInput,
  base: number,
  { folder, activity }: Place,
): Promise<VersionFiles> {
  const before = await findReadyVersion(operationOf(deps, ref), ref.datasetId, base)
  const paths = {
    rows: join(folder, 'rows-before'),
    index: join(folder, 'index-before'),
    held: join(folder, 'held-before'),
  }
  await save(readBlob(deps.db, before.rowsSha256), paths.rows, activity)
  await save(readBlob(deps.db, before.indexSha256), paths.index, activity)
  await save(readBlob(deps.db, before.heldSha256), paths.held, activity)
  return paths
}

async function tokenizerOf({ baseFolders }: DatasetDeps): Promise<BuildInput['tokenizer']> {
  const base = (await listBases(baseFolders)).find(({ name }) => name === DEFAULT_BASE)
  return base === undefined ? null : { name: base.name, directory: base.directory }
}

/** Returns the result of a version that is over to a second attempt. */
async function endOf(deps: DatasetDeps, ref: VersionInput): Promise<{ readonly rows: number }> {
  const { state, rowCount } = await findVersion(operationOf(deps, ref), ref.datasetId, ref.version)
  if (state === 'ready') return { rows: rowCount }
  throw LEARN_ERRORS.dataset_failed(`the version is ${state} already`)
}
