import { canonicalJson } from '../../../kernel/json/json.ts'
import { stageFigures } from '../../stages/scoring/stage-figures.ts'
import type { ContentMembers } from '../members/content.ts'
import { hashOf, recipeSource, sizeOf } from '../recipe-facts.ts'
import type { BuildDocument, SampleDocument, TeacherFacts } from '../schemas/build.ts'
import { demand } from './demand.ts'

/** Samples of labels that are listed at most; all are counted in the report on the teacher. */
const LISTED_LABELS = 500
const MICROS = 1_000_000

/** Providers of samples by kind. */
const PROVIDERS: Readonly<Record<SampleDocument['kind'], readonly SampleDocument['provider'][]>> = {
  program: ['synthesizer', 'frontier'],
  classifier: ['trainer'],
  tabular: ['trainer'],
  composite: ['trainer'],
  lora: ['trainer'],
  label: ['frontier'],
}

/** The samples are in their form, ranked by kind, and the recipe of the archive is the winner of its kind. */
export function checkSamples(build: BuildDocument, content: ContentMembers): void {
  const { recipe_kind: kind } = build
  const samples: readonly SampleDocument[] = build.samples
  demand(new Set(samples.map(({ id }) => id)).size === samples.length, 'samples: two have one id')
  for (const sample of samples) checkSample(sample)
  for (const [ofKind, list] of Map.groupBy(samples, (sample) => sample.kind)) {
    const isRanked = list.every(({ rank }, place) => rank === place + 1)
    demand(isRanked, `samples: those of the kind ${ofKind} are not in the order of their ranks`)
    const winners = list.filter(({ verdict }) => verdict.chosen === 'winner')
    const isContest = ofKind !== 'label'
    demand(!isContest || winners.length < 2, `samples: ${winners.length} winners of the kind ${ofKind}`)
    const isBeaten = list.some(({ verdict }) => verdict.chosen === 'beaten')
    demand(!isContest || winners.length === 1 || !isBeaten, `samples: no ${ofKind} has beaten the others`)
  }
  const winner = samples.find((sample) => sample.kind === kind && sample.verdict.chosen === 'winner')
  demand(winner !== undefined, `samples: no winner of the kind ${kind}`)
  const source = recipeSource(content)
  demand(winner.recipe_hash === hashOf(source), 'samples: the winner is not the recipe of the archive')
  demand(winner.size_bytes === sizeOf(source), 'samples: the winner has another size than the recipe of the archive')
}

/** The report on the teacher is the sum of its samples. */
export function checkTeacher({ samples, teacher }: BuildDocument): void {
  const given = samples.flatMap((sample) => sample.teacher ?? [])
  if (teacher === undefined) {
    demand(given.length === 0, 'samples: some are by a teacher, and there is no report on one')
    return
  }
  const isConfigured = teacher.status !== 'no_teacher_configured'
  for (const field of ['model', 'dialect', 'budget_usd'] as const) {
    demand((teacher[field] !== null) === isConfigured, `teacher: ${field} is of another status`)
  }
  const isSilent = teacher.prices_usd_per_million === null && teacher.reason === teacher.status
  demand(isConfigured || isSilent, 'teacher: without one there are no prices, and the reason is that there is none')
  if (teacher.status !== 'asked') {
    demand(teacher.reason !== null, 'teacher: it was not asked for no reason')
    demand(teacher.programs === null && teacher.labels === null, 'teacher: it was not asked for programs or labels')
    demand(teacher.unsettled_usd === 0, 'teacher: it was not asked, and money is unsettled')
  }
  const programs = given.filter(({ question }) => question.startsWith('program/'))
  const listedLabels = given.length - programs.length
  const labels = teacher.labels?.samples ?? 0
  demand(listedLabels === Math.min(labels, LISTED_LABELS), `teacher: ${listedLabels} labels are listed of ${labels}`)
  checkPrograms(teacher.programs, programs)
  demand(teacher.samples === programs.length + labels, 'teacher: samples are those of programs and labels')
  demand(teacher.bought + teacher.reused === teacher.samples, 'teacher: samples are bought or reused')
  checkSums(teacher, given, labels > listedLabels)
}

/** Checks that the stages' costs agree with the teacher, and that a skipped stage has a reason and no cost. */
export function checkStages({ stages, teacher, recipe_kind: kind }: BuildDocument): void {
  demand(new Set(stages.map(({ stage }) => stage)).size === stages.length, 'stages: one stands there twice')
  for (const one of stages) {
    const { stage, status, reason, figures, ...cost } = one
    const isStated = figures === undefined || canonicalJson(figures) === canonicalJson({ ...stageFigures(one) })
    demand(isStated, `stages: the figures of ${stage} are not those of its numbers`)
    const isDone = status === 'done'
    demand((reason === null) === isDone, `stages: ${stage} is ${status} and states ${isDone ? 'a' : 'no'} reason`)
    const work = cost.search_steps + cost.training_steps + cost.provider_tokens + cost.cost_usd
    demand(isDone || work === 0, `stages: ${stage} was skipped and did work`)
  }
  const isDone = (name: string): boolean => stages.some(({ stage, status }) => stage === name && status === 'done')
  demand(isDone('k-sample') && isDone('verify'), 'stages: k-sample and verify stand in every build')
  demand(kind !== 'lora' || isDone('lora-fit'), 'stages: an adapter is of the stage lora-fit')
  const tokens = stages.reduce((sum, { provider_tokens }) => sum + provider_tokens, 0)
  const usd = stages.reduce((sum, { cost_usd }) => sum + cost_usd, 0)
  const { input_tokens: read, output_tokens: written, cost_usd: paid } = teacher ?? NO_TEACHER
  demand(tokens === read + written, `stages: provider_tokens are ${read + written}, not ${tokens}`)
  demand(Math.round(usd * MICROS) === Math.round(paid * MICROS), `stages: cost_usd is ${paid}, not ${usd}`)
}

const NO_TEACHER = { input_tokens: 0, output_tokens: 0, cost_usd: 0 } as const

function checkSample({
  id,
  kind,
  provider,
  teacher,
  recipe_hash: hash,
  size_bytes: size,
  verdict,
}: SampleDocument): void {
  demand(PROVIDERS[kind].includes(provider), `samples: ${id} is a ${kind} by the ${provider}`)
  demand((provider === 'frontier') === (teacher !== undefined), `samples: what the teacher took for ${id}`)
  demand((hash === null) === (size === null), `samples: ${id} has a size or a digest alone`)
  demand(kind !== 'label' || hash === null, `samples: ${id} is a label and no recipe`)
  demand(verdict.chosen !== 'winner' || kind === 'label' || hash !== null, `samples: ${id} won without a recipe`)
  for (const [rows, right] of countsOf(verdict)) {
    const isPair = rows === null ? right === null : right !== null && right <= rows
    demand(isPair, `samples: ${id} is right on more rows than there were`)
  }
}

/** Rows and right rows of each figure of a verdict. */
function countsOf(verdict: SampleDocument['verdict']): readonly (readonly [number | null, number | null])[] {
  if ('fitted_rows' in verdict) {
    return [
      [verdict.fitted_rows, verdict.fitted_right],
      [verdict.held_back_rows, verdict.held_back_right],
      [verdict.verified_rows, verdict.verified_passed],
    ]
  }
  const {
    fitted_right: fitted,
    held_back_right: heldBack,
    verified_passed: verified,
    negatives_violated: violated,
  } = verdict
  const figures = [fitted, heldBack, verified, violated]
  return figures.map((figure) => (figure.basis === 'measured' ? [figure.n, figure.value] : [null, null]))
}

function checkPrograms(
  stated: NonNullable<BuildDocument['teacher']>['programs'],
  programs: readonly TeacherFacts[],
): void {
  const counted = {
    samples: programs.length,
    candidates: programs.filter(({ outcome }) => outcome === 'candidate').length,
    repairs: programs.filter(({ question }) => question.includes('/repair/')).length,
  }
  const { samples, candidates, repairs } = stated ?? { samples: 0, candidates: 0, repairs: 0 }
  const same = canonicalJson({ samples, candidates, repairs }) === canonicalJson(counted)
  demand(same, `teacher.programs: the samples give ${canonicalJson(counted)}`)
}

/** Tokens and money of all samples; where not all labels are listed, of those at least. */
function checkSums(
  teacher: NonNullable<BuildDocument['teacher']>,
  given: readonly TeacherFacts[],
  isCut: boolean,
): void {
  const bought = given.filter(({ reused }) => !reused)
  const sum = (value: (facts: TeacherFacts) => number): number =>
    bought.reduce((total, facts) => total + value(facts), 0)
  const pairs = {
    bought: [teacher.bought, bought.length],
    input_tokens: [teacher.input_tokens, sum((facts) => facts.input_tokens)],
    cached_tokens: [teacher.cached_tokens, sum((facts) => facts.cached_tokens)],
    output_tokens: [teacher.output_tokens, sum((facts) => facts.output_tokens)],
    cost_usd: [Math.round(teacher.cost_usd * MICROS), sum((facts) => Math.round(facts.cost_usd * MICROS))],
  } as const
  for (const [field, [stated, summed]] of Object.entries(pairs)) {
    demand(isCut ? stated >= summed : stated === summed, `teacher: ${field} is not the sum over its samples`)
  }
}
