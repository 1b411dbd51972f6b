import type { Json } from '../../../../core/kernel/json/json.ts'
import type { SampleInput } from '../../../../core/compile/stages/stage-types.ts'
import type { Row } from '../../../../core/compile/rows/task.ts'
import type {
  TeacherBrief,
  TeacherSample,
  TeacherSpending,
} from '../../../../core/compile/stages/teacher/teacher-types.ts'
import { factsOf, type UnlabelledInput } from '../../../../core/compile/rows/intake/example.ts'

/** Cities with the code of their country: a rule that a model knows and no search can find. */
export const CITIES: readonly (readonly [city: string, code: string])[] = [
  ['Paris', 'FR'], ['Lyon', 'FR'], ['Nice', 'FR'], ['Berlin', 'DE'], ['Hamburg', 'DE'], ['Munich', 'DE'],
  ['Rome', 'IT'], ['Milan', 'IT'], ['Turin', 'IT'], ['Madrid', 'ES'], ['Seville', 'ES'], ['Bilbao', 'ES'],
  ['Lisbon', 'PT'], ['Porto', 'PT'], ['Vienna', 'AT'], ['Graz', 'AT'], ['Prague', 'CZ'], ['Brno', 'CZ'],
  ['Warsaw', 'PL'], ['Krakow', 'PL'], ['Oslo', 'NO'], ['Bergen', 'NO'], ['Stockholm', 'SE'], ['Uppsala', 'SE'],
  ['Helsinki', 'FI'], ['Tampere', 'FI'], ['Athens', 'GR'], ['Patras', 'GR'], ['Dublin', 'IE'], ['Cork', 'IE'],
] // prettier-ignore

/** Rows of a task whose outputs a model knows: city to country code. */
export function cityRows(count = CITIES.length): readonly (Row & { readonly input: string })[] {
  return CITIES.slice(0, count).map(([input, output], i) => ({ id: `row_${i + 1}`, input, output }))
}

/** A table as a program, which abstains from what is not in it. */
export function tableProgram(cases: readonly (readonly [string, Json])[]): Json {
  return {
    language: 'svc-recipe-1',
    body: {
      op: 'lookup',
      key: { op: 'input' },
      cases: cases.map(([key, value]) => ({ key, value })),
      ignoreCase: true,
    },
  }
}

/** Returns the input of a teacher. */
export function aBrief(
  changes: {
    readonly unlabelled?: readonly UnlabelledInput[]
    readonly floor?: number
    readonly isPriced?: boolean
  } = {},
): TeacherBrief {
  return {
    teacher: {
      model: 'test-model',
      dialect: 'chat-completions',
      prices: changes.isPriced === false ? null : { input: 1, cached: 0.5, output: 2, source: 'operator' },
      settings: { programSamples: 4, labelSamples: 5, samplesPerCall: 1, maxOutputTokens: 1000, budgetUsd: 1 },
    },
    unlabelled: changes.unlabelled ?? [],
    floor: changes.floor ?? 0.85,
  }
}

/** Returns the input of `k-sample`. */
export function aSampleInput(rows: readonly Row[], brief?: TeacherBrief): SampleInput {
  return {
    task: 'The ISO code of the country that a city is in',
    rows,
    negatives: [],
    facts: factsOf(rows),
    k: 4,
    budgetMs: 20_000,
    workBudget: 30_000,
    ...(brief === undefined ? {} : { brief }),
  }
}

/** A bought sample with this text. */
export function aSample(
  question: string,
  ordinal: number,
  answer: Json,
  changes: Partial<TeacherSample> = {},
): TeacherSample {
  return {
    question,
    ordinal,
    text: typeof answer === 'string' ? answer : JSON.stringify(answer),
    finish: 'stop',
    model: 'test-model',
    inputTokens: 100,
    cachedTokens: 0,
    outputTokens: 50,
    costUsdMicros: 200,
    latencyMs: 10,
    attempts: 1,
    isReused: false,
    ...changes,
  }
}

/** Asking that came to its end. */
export const ASKED_ALL: TeacherSpending = { stopped: null, failure: null, unsettledUsd: 0, elapsedMs: 5 }
