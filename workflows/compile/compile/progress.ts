import type { VerdictSummary } from '../../../activities/compile/compile/results.ts'
import {
  STAGE_LABELS,
  WORK_STAGES,
  type JobStatus,
  type Stage,
  type WorkStage,
} from '../../../core/compile/rows/task.ts'

/** A compile, as its progress query returns it. */
export interface CompileProgress {
  readonly stage: Stage
  readonly status: JobStatus
  /** Fraction of the stages that are done, from 0 to 1. */
  readonly fraction: number
  /** The K-score, once measured. */
  readonly kScore: number | null
  /** The attempt of the current workflow run, from 1. */
  readonly attempt: number
  readonly errorCode: string | null
}

/** Progress of a fit, in figures. */
export interface FitSignal {
  readonly step: number
  readonly steps: number
  readonly loss: number
  readonly validationLoss: number | null
  readonly tokensPerSecond: number
  readonly etaSeconds: number
}

/** The steps and the state of one compile; independent of Temporal. */
export class CompileProgressState {
  readonly #attempt: number
  #stage: Stage = 'queued'
  #status: JobStatus = 'running'
  #done = 0
  #note = 'waiting for a worker'
  #kScore: number | null = null
  #errorCode: string | null = null
  #verdict: VerdictSummary | null = null

  constructor(attempt: number) {
    this.#attempt = attempt
  }

  /** Begins a stage. Stages come in order; going back is a bug of the caller and throws. */
  begin(stage: WorkStage): void {
    if (this.#status !== 'running') throw new Error(`${stage} begins although the job is ${this.#status}`)
    const position = WORK_STAGES.indexOf(stage)
    if (position < this.#done) throw new Error(`${stage} begins after ${this.#stage}`)
    this.#stage = stage
    this.#done = position
    this.#note = ''
  }

  /** Sets a short description of the running stage's progress. */
  remark(note: string): void {
    this.#note = note
  }

  /** Records that the job waits for its caller, who may be asked `left` questions, the open one included. */
  ask(left: number): void {
    this.#note = `waiting for ${left} ${left === 1 ? 'answer' : 'answers'}`
  }

  /** Records the progress of the running fit. Returns false when none runs, as when the message is late. */
  tell({ step, steps, loss, tokensPerSecond, etaSeconds }: FitSignal): boolean {
    if (this.#status !== 'running' || this.#stage !== 'lora-fit') return false
    const pace = `${Math.round(tokensPerSecond)} tokens/s, ${Math.ceil(etaSeconds)} s to go`
    this.#note = `step ${step} of ${steps}, loss ${loss.toFixed(4)}, ${pace}`
    return true
  }

  /** Ends the running stage; `note` is a short summary of its result. */
  complete(stage: WorkStage, note: string): void {
    if (stage !== this.#stage) throw new Error(`${stage} ends although ${this.#stage} runs`)
    this.#done = WORK_STAGES.indexOf(stage) + 1
    this.#note = note
  }

  /** Records that the candidates were judged. */
  judge(verdict: VerdictSummary): void {
    this.#verdict = verdict
    this.#kScore = verdict.kScore
  }

  /** Records that the job is over, in the stage that its row names. */
  finish(status: JobStatus, errorCode: string | null = null, stage: Stage = this.#stage): void {
    this.#status = status
    this.#errorCode = errorCode
    this.#stage = stage
    if (status !== 'ready') return
    this.#stage = 'ready'
    this.#done = WORK_STAGES.length
  }

  /** Returns the result of the progress query. */
  snapshot(): CompileProgress {
    return {
      stage: this.#stage,
      status: this.#status,
      fraction: this.#done / WORK_STAGES.length,
      kScore: this.#kScore,
      attempt: this.#attempt,
      errorCode: this.#errorCode,
    }
  }

  /** The value of the search attribute SvcStage: the stage while the job runs, afterwards its outcome. */
  label(): string {
    return this.#status === 'running' ? this.#stage : this.#status
  }

  /** One line of Markdown for people who read the run in Temporal's own pages. */
  describe(): string {
    const score = this.#verdict === null ? '' : ` · ${describeVerdict(this.#verdict)}`
    const label = STAGE_LABELS[this.#stage]
    const note = this.#note === '' ? '' : ` · ${this.#note}`
    switch (this.#status) {
      case 'queued':
      case 'running':
        return `**${label}** · ${this.#done} of ${WORK_STAGES.length} stages done${score}${note}`
      case 'ready':
        return `**ready** · signed${score}${note}`
      case 'gated':
        return `**gated** · nothing was signed${score}${note}`
      case 'failed':
        return `**failed** in the stage ${label} · \`${this.#errorCode ?? 'internal'}\`${score}`
      case 'cancelled':
        return `**cancelled** in the stage ${label}${score}`
    }
  }
}

function describeVerdict(verdict: VerdictSummary): string {
  const compared = verdict.passed ? 'reaches' : 'misses'
  const subject = verdict.kind === null ? 'no recipe' : `a ${verdict.kind}`
  return `${subject}, K ${verdict.kScore.toFixed(4)} ${compared} the floor ${verdict.floor} on ${verdict.holdoutRows} held-out rows`
}
