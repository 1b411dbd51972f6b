import type { WorkerDeps } from '../../../../workers/deps.ts'
import { createTeacher, type Teacher, type TeacherOptions } from '../../../../core/compile/stages/teacher/teacher.ts'
import type { DialectName } from '../../../../core/gateway/providers/provider.ts'
import type { Json } from '../../../../core/kernel/json/json.ts'
import type { ScriptedAnswer, ScriptedCall, ScriptedModel } from '../../../support/providers/scripted-model.ts'
import { startProvider, type ProviderServer } from '../../../support/providers/server.ts'

/** A provider whose model a test replaces at will, and the teacher that asks it. */
export interface TaughtService {
  readonly server: ProviderServer
  /** Calls that reached the model since the last `script`. */
  calls(): readonly ScriptedCall[]
  script(model: ScriptedModel): void
  /** Changes the deps of the workers. */
  readonly change: (deps: WorkerDeps) => WorkerDeps
}

/** US dollars per million tokens that tests bill. */
export const TEST_PRICES = { input: 2, cached: 1, output: 10 } as const

/** Starts a provider for the surrounding suite, before the service that asks it. */
export function useTeacher(dialect: DialectName, options: Partial<TeacherOptions> = {}): TaughtService {
  let server: ProviderServer | undefined
  let teacher: Teacher | undefined
  let model: ScriptedModel = () => ({ status: 500, message: 'no script' })
  let from = 0
  before(async () => {
    server = await startProvider(dialect, (call) => model(call))
    teacher = createTeacher({
      dialect,
      baseUrl: server.baseUrl,
      apiKey: server.apiKey,
      model: 'test-model',
      prices: TEST_PRICES,
      timeoutMs: 10_000,
      concurrency: 4,
      programSamples: 4,
      labelSamples: 5,
      samplesPerCall: 1,
      maxOutputTokens: 2000,
      budgetUsd: 5,
      ...options,
    })
  })
  after(async () => {
    await teacher?.provider.close()
    await server?.close()
  })
  const current = (): ProviderServer => {
    if (server === undefined) throw new Error('the provider is there once the tests run')
    return server
  }
  return {
    get server() {
      return current()
    },
    calls: () => current().calls.slice(from),
    script(scripted) {
      model = scripted
      from = current().calls.length
    },
    change: (deps) => ({ ...deps, teacher: teacher ?? null }),
  }
}

/** True for a question that asks for a program, and for the repair of one. */
export function asksForProgram({ messages }: ScriptedCall): boolean {
  return messages[0]?.text.startsWith('You write programs') === true
}

export function asksForRepair({ messages }: ScriptedCall): boolean {
  return messages.some(({ role }) => role === 'assistant')
}

/** A lookup table over the input, as strict structured output writes one. */
export function tableAnswer(cases: readonly (readonly [string, Json])[]): ScriptedAnswer {
  const body = {
    op: 'lookup',
    key: { op: 'input' },
    cases: cases.map(([key, value]) => ({ key, value })),
    ignoreCase: true,
    default: null,
  }
  return { texts: [JSON.stringify({ language: 'svc-recipe-1', body })] }
}

/** The examples that a question shows, read out of its lines. */
export function shownExamples({ messages }: ScriptedCall): readonly (readonly [string, Json])[] {
  const question = messages.find(({ role }) => role === 'user')?.text ?? ''
  return [...question.matchAll(/^("(?:[^"\\]|\\.)*") -> (.*)$/gm)].map(([, input = '', output = '']) => {
    const value: Json = JSON.parse(output)
    return [String(JSON.parse(input)), value]
  })
}
