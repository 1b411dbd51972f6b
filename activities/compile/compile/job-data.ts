import { unpackContent, type ContentMembers } from '../../../core/compile/archive/members/content.ts'
import type { Selection } from '../../../core/compile/rows/intake/example.ts'
import type { SampleOutput } from '../../../core/compile/stages/stage-types.ts'
import type { Verdict } from '../../../core/compile/stages/judge/verdict.ts'
import type { WorkStage } from '../../../core/compile/rows/task.ts'
import { learnedCapturesOf } from '../../../core/compile/wire/jobs/captures.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import type { CompileJob } from '../../../db/compile/jobs/compile-job.ts'
import { findJobWithRound, type JobWithRound } from '../../../db/compile/progress/teacher-samples/job-with-round.ts'
import type { TeacherRound } from '../../../db/compile/progress/teacher-samples/rounds.ts'
import {
  stageResult,
  type BegunStage,
  type CompleteStageInput,
  type StageResult,
} from '../../../db/compile/jobs/stages/stages.ts'
import { operationOf, type CompileDeps } from './deps.ts'
import type { JobRef } from './results.ts'
import { readArchive, type ReadArchive } from './stages/ready-artifact.ts'
import { loadRows, loadSample, loadStageBlob, loadVerdict, loadVerified } from './stage-data.ts'

/** The stages whose outputs an attempt keeps in memory, with the type of each. */
interface Outputs {
  readonly 'k-sample': SampleOutput
  readonly verify: Verdict
  readonly bundle: ContentMembers
  readonly sign: ReadArchive
}

/** An output of this attempt, and the digest of the blob that it was stored as. */
interface StoredOutput<T> {
  readonly sha256: Sha256
  readonly output: T
}

/**
 * Data that one attempt has read or computed for its job, so that it is not read again. An attempt after a crash begins with
 * nothing and reads all from Postgres. Of two attempts that run at once the first record of a stage stands: an output
 * in memory is used only when the record names its digest, so that the archive is never made of outputs of both.
 */
export class JobData {
  readonly #deps: CompileDeps
  readonly #ref: JobRef
  readonly #begun = new Map<WorkStage, BegunStage>()
  readonly #records = new Map<WorkStage, StageResult>()
  readonly #quick: CompleteStageInput[] = []
  #job: Promise<JobWithRound> | undefined
  #rows: Promise<Selection> | undefined
  #sample: Promise<SampleOutput> | undefined
  #verified: Promise<Verdict> | undefined
  #verdict: Promise<Verdict> | undefined
  readonly #outputs: { [Stage in keyof Outputs]?: StoredOutput<Outputs[Stage]> } = {}

  constructor(deps: CompileDeps, ref: JobRef) {
    this.#deps = deps
    this.#ref = ref
  }

  /** The job as it was when it was first asked for; its choices never change, its state does. */
  async job(): Promise<CompileJob> {
    return (await this.#read()).job
  }

  /** The round with a teacher, as it was when the job was first asked for; null when there was none. */
  async round(): Promise<TeacherRound | null> {
    return (await this.#read()).round
  }

  async #read(): Promise<JobWithRound> {
    return await (this.#job ??= findJobWithRound(operationOf(this.#deps, this.#ref), this.#ref.jobId))
  }

  async rows(): Promise<Selection> {
    return await (this.#rows ??= this.job().then(async (job) => await loadRows(this.#deps, job)))
  }

  async sample(): Promise<SampleOutput> {
    return await (this.#sample ??= this.#outputOf('k-sample', async () => await loadSample(this.#deps, this.#ref)))
  }

  /** The verdict of `verify`. */
  async verified(): Promise<Verdict> {
    return await (this.#verified ??= this.#outputOf('verify', async () => await loadVerified(this.#deps, this.#ref)))
  }

  /** The verdict that the archive is made from: to be asked for after `lora-fit`. */
  async verdict(): Promise<Verdict> {
    return await (this.#verdict ??= loadVerdict(this.#deps, this.#ref, {
      fitted: async () => await this.record('lora-fit'),
      verified: async () => await this.verified(),
    }))
  }

  /**
   * The report of the rows that this attempt scored. Null where another attempt's record stands or another stage scored them, and where
   * examples are captures, which may be forgotten meanwhile: the stored one is to be read then.
   */
  async rowReport(): Promise<Uint8Array | null> {
    const { verify } = this.#outputs
    const isOwn = verify !== undefined && this.#records.get('verify')?.blobSha256 === verify.sha256
    if (!isOwn || learnedCapturesOf((await this.job()).spec) !== undefined) return null
    return verify.output.rowReport ?? null
  }

  /** The content members of the archive. */
  async content(): Promise<ContentMembers> {
    return await this.#outputOf('bundle', async () => {
      return await unpackContent(await loadStageBlob(this.#deps, this.#ref, 'bundle'))
    })
  }

  /** The sealed archive. */
  async archive(): Promise<ReadArchive> {
    return await this.#outputOf(
      'sign',
      async () => await readArchive(await loadStageBlob(this.#deps, this.#ref, 'sign')),
    )
  }

  /** The record of a stage; null when it is not over. */
  async record(stage: WorkStage): Promise<StageResult | null> {
    const op = operationOf(this.#deps, this.#ref)
    return this.#records.get(stage) ?? (await stageResult(op, { jobId: this.#ref.jobId, stage }))
  }

  /** Keeps the record of a stage. */
  keepRecord(record: StageResult): void {
    this.#records.set(record.stage, record)
  }

  /** Keeps an output of this attempt under the digest of its blob. */
  keepOutput<Stage extends keyof Outputs>(stage: Stage, sha256: Sha256, output: Outputs[Stage]): void {
    Object.assign(this.#outputs, { [stage]: { sha256, output } })
  }

  async #outputOf<Stage extends keyof Outputs>(
    stage: Stage,
    load: () => Promise<Outputs[Stage]>,
  ): Promise<Outputs[Stage]> {
    const recorded = await this.record(stage)
    const kept = this.#outputs[stage]
    return kept !== undefined && kept.sha256 === recorded?.blobSha256 ? kept.output : await load()
  }

  /** Keeps a stage that began with the record of the one before it. */
  keepBegun(begun: BegunStage): void {
    this.#begun.set(begun.stage, begun)
  }

  /**
   * Keeps the record of a quick stage until that of the next one is written, and shows both to the rest of this attempt as
   * if they were stored.
   */
  keepQuick(input: CompleteStageInput): void {
    const { stage, outcome, result, blobSha256 = null, cost, next, now } = input
    this.#quick.push(input)
    this.keepRecord({ stage, outcome, result, blobSha256, cost, completedAt: now })
    if (next !== undefined) this.keepBegun({ stage: next, result: null })
  }

  /** Returns the kept records once, in their order. */
  takeQuick(): readonly CompleteStageInput[] {
    return this.#quick.splice(0)
  }

  /** Returns a kept stage once; undefined for a stage that is to be begun. */
  takeBegun(stage: WorkStage): BegunStage | undefined {
    const begun = this.#begun.get(stage)
    this.#begun.delete(stage)
    return begun
  }
}
