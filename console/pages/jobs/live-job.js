import { formatWord } from '../../parts/format.js'
/** @typedef {import('../../parts/progress.js').Stage} Stage */
/** @typedef {{ step: number, loss: number, validationLoss: number | undefined }} LossPoint */
/**
 * State built from the events of a job.
 *
 * @typedef {object} Live
 * @property {readonly Stage[]} stages
 * @property {readonly LossPoint[]} losses of a fit
 * @property {readonly { kind: string, at: string | undefined, words: string }[]} log
 * @property {string} spoken the last start or end of a stage, for screen readers: not each percent
 * @property {boolean} isCut whether the connection is lost
 */
/** @typedef {import('zod').output<typeof import('../../../core/compile/wire/jobs/event.ts').JobEventBody>} Body */

/** Kinds that come by the hundred, and that bars show better. */
const NOT_LOGGED = new Set(['hello', 'progress', 'metric'])
const LAST = new Set(['done', 'gated', 'error'])

/** @type {Live} */
export const NO_EVENTS = { stages: [], losses: [], log: [], spoken: '', isCut: false }

/**
 * Returns what is known of a job after one more event.
 *
 * @param {Live} live
 * @param {{ kind: string, data: any }} event
 * @returns {Live}
 */
export function applyEvent(live, { kind, data }) {
  if (kind === 'cut') return live.isCut === data.isCut ? live : { ...live, isCut: data.isCut }
  if (kind === 'hello') return { ...NO_EVENTS, stages: data.steps.map(waiting) }
  const logged = NOT_LOGGED.has(kind) ? live.log : [...live.log, lineOf(kind, data, live.stages)]
  const moved = live.stages.map((stage) => (stage.id === data.step ? moveStage(stage, kind, data) : stage))
  const ended = LAST.has(kind) ? moved.map(notReached) : moved
  const known = live.stages.find(({ id }) => id === data.step)
  const isTurn = known !== undefined && (kind === 'step.start' || kind === 'step.end')
  return {
    ...live,
    stages: ended,
    losses: withLoss(live.losses, data),
    log: logged,
    spoken: isTurn ? `${known.label}: ${formatWord(data.status ?? 'running')}` : live.spoken,
  }
}

/**
 * @param {{ id: string, label: string, status: string }} step
 * @returns {Stage}
 */
function waiting({ id, label, status }) {
  return { id, label, status: status === 'pending' ? 'waiting' : status, fraction: 0, note: undefined }
}

/**
 * Moves a stage by an event that names it. Logs and costs name their stage too, and move nothing.
 *
 * @param {Stage} stage
 * @param {string} kind
 * @param {Body} data
 * @returns {Stage}
 */
function moveStage(stage, kind, data) {
  if (kind === 'progress') {
    return { ...stage, status: 'running', fraction: data.fraction ?? 0, note: data.note ?? undefined }
  }
  if (kind === 'metric' && data.training_step !== undefined) {
    const { training_step: step, training_steps: steps = step } = data
    const fit = {
      step,
      steps,
      loss: data.loss,
      validationLoss: data.validation_loss ?? undefined,
      leftS: data.eta_seconds,
      speed: data.tokens_per_second,
    }
    return { ...stage, fraction: Math.max(stage.fraction, steps > 0 ? step / steps : 0), fit }
  }
  if (kind !== 'step.start' && kind !== 'step.end') return stage
  const status = data.status ?? 'running'
  return { ...stage, status, fraction: status === 'running' ? 0 : 1, note: undefined }
}

/**
 * Marks a stage that has not started, since the job has ended.
 *
 * @param {Stage} stage
 * @returns {Stage}
 */
function notReached(stage) {
  return stage.status === 'waiting' ? { ...stage, status: 'not reached' } : stage
}

/**
 * @param {readonly LossPoint[]} losses
 * @param {Body} data
 * @returns {readonly LossPoint[]}
 */
function withLoss(losses, { training_step: step, loss, validation_loss: validationLoss }) {
  if (step === undefined || loss === undefined) return losses
  // A fit that resumes from a checkpoint reports some steps again.
  return [...losses.filter((point) => point.step < step), { step, loss, validationLoss: validationLoss ?? undefined }]
}

/**
 * @param {string} kind
 * @param {Record<string, unknown>} data
 * @param {readonly Stage[]} stages
 */
function lineOf(kind, data, stages) {
  const words = Object.entries(data)
    .filter(([name]) => name !== 'at' && name !== 'seq')
    .map(([name, value]) => {
      if (name === 'step') return `stage ${stages.find(({ id }) => id === value)?.label ?? String(value)}`
      return `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`
    })
  const at = data['at']
  return { kind, at: typeof at === 'string' ? at : undefined, words: words.join(', ') }
}
