import { z } from 'zod'
import type { RecipeEntry } from '../../../core/compile/archive/members/documents.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/kernel/json/json.ts'
import { inspectAdapter } from '../../../core/model/files/adapter-files.ts'
import { describeSeconds } from '../fit-progress.ts'
import { formatBytes } from '../table.ts'

type Members = ReadonlyMap<string, Uint8Array>

const Losses = z.array(z.object({ step: z.int(), loss: z.number() }))

/** The fields of training.json that are shown; a missing one is skipped. */
const Training = z.object({
  trainer: z.string().optional(),
  objective: z.string().optional(),
  device: z.string().optional(),
  data: z.object({ rows: z.int(), validation_rows: z.int(), teacher_rows: z.int().optional() }).optional(),
  hyperparameters: z.object({ epochs: z.number(), learningRate: z.number() }).optional(),
  seed: z.int().optional(),
  history: z.object({ steps: Losses, validation: Losses }).optional(),
  steps: z.int().optional(),
  best_step: z.int().optional(),
  stopped_early: z.boolean().optional(),
  tokens_per_second: z.number().optional(),
  seconds: z.number().optional(),
})
type Training = z.infer<typeof Training>

/** training.json of an archive that was verified; undefined for recipes that are not trained that way. */
export function readTraining(members: Members): JsonObject | undefined {
  const bytes = members.get('training.json')
  if (bytes === undefined) return undefined
  const value: Json = JSON.parse(new TextDecoder().decode(bytes))
  return isJsonObject(value) ? value : undefined
}

/** An adapter for people: its base, its size, how it answers, how it was trained. */
export function describeAdapter(
  { lora, adapter }: Extract<RecipeEntry, { readonly kind: 'lora' }>,
  members: Members,
): string {
  const { base, constraint, max_new_tokens: tokens, abstain_below: threshold, prompt } = lora
  const { rank, alpha, targetModules, parameters } = inspectAdapter(members)
  const weightsBytes = adapter.weights.size_bytes
  return [
    `LoRA adapter on ${base.name} (${base.architecture}, ${inMillions(base.parameters)} parameters)`,
    `  base weights   ${base.weights_hash}`,
    `  adapter        rank ${rank}, alpha ${alpha}, ${inMillions(parameters)} parameters, ${formatBytes(weightsBytes)}`,
    `  on             ${targetModules?.join(', ') ?? 'all linear layers'}`,
    `  prompt         ${prompt.template} template${prompt.instruction === null ? '' : ' with an instruction'}`,
    `  answers        ${describeConstraint(constraint)}, at most ${tokens} tokens`,
    ...(threshold === null ? [] : [`  abstains       below a confidence of ${threshold}`]),
    ...describeTraining(Training.safeParse(readTraining(members)).data ?? {}),
  ].join('\n')
}

function describeConstraint(constraint: Extract<RecipeEntry, { readonly kind: 'lora' }>['lora']['constraint']): string {
  if (constraint === null) return 'free text'
  if (constraint.type === 'labels') return `one of ${constraint.labels.length} labels`
  return constraint.type === 'regex' ? `texts that match ${constraint.pattern}` : 'JSON of a schema'
}

function describeTraining(training: Training): string[] {
  const { data, hyperparameters, history, steps, best_step: best, seconds } = training
  const lines: [string, string | null][] = [
    ['trainer', joined([training.trainer, training.objective, training.device])],
    ['rows', data === undefined ? null : `${data.rows} to train, ${data.validation_rows} to validate`],
    [
      'steps',
      steps === undefined
        ? null
        : `${steps}, the best ${best ?? steps}${training.stopped_early === true ? ', stopped early' : ''}`,
    ],
    [
      'settings',
      hyperparameters === undefined
        ? null
        : `${hyperparameters.epochs} epochs at most, learning rate ${hyperparameters.learningRate}, seed ${training.seed ?? 'unknown'}`,
    ],
    ['loss', describeCurve(history?.steps ?? [])],
    ['validation', describeCurve(history?.validation ?? [])],
    ['speed', training.tokens_per_second === undefined ? null : `${Math.round(training.tokens_per_second)} tokens/s`],
    ['took', seconds === undefined ? null : describeSeconds(seconds)],
  ]
  return lines.flatMap(([name, text]) => (text === null ? [] : [`  ${name.padEnd(14)} ${text}`]))
}

/** A curve by its first, lowest and last point; the whole of it is in training.svg. */
function describeCurve(points: z.infer<typeof Losses>): string | null {
  const first = points[0]
  const last = points.at(-1)
  if (first === undefined || last === undefined) return null
  const lowest = points.reduce((best, point) => (point.loss < best.loss ? point : best), first)
  return `${first.loss.toFixed(4)} at step ${first.step}, lowest ${lowest.loss.toFixed(4)} at ${lowest.step}, last ${last.loss.toFixed(4)} at ${last.step}`
}

function joined(texts: readonly (string | undefined)[]): string | null {
  const given = texts.filter((text) => text !== undefined)
  return given.length === 0 ? null : given.join(', ')
}

function inMillions(count: number): string {
  return count < 100_000 ? String(count) : `${(count / 1_000_000).toFixed(2)} M`
}
