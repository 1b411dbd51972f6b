import type pg from 'pg'
import { canonicalJson, type Json } from '../../../../../core/kernel/json/json.ts'
import { CannotSay } from '../../../../../core/compile/runtime/code/refusal.ts'
import {
  argumentsOf,
  isHeld,
  type SqlFunction,
  sqlFunction,
} from '../../../../../core/compile/runtime/code/sql/module.ts'
import { expectedOf, type ProgramCase } from './cases.ts'
import type { Comparison } from './printed.ts'

const TASK = 'Answer as the rows do'

function written({ program, inputs }: ProgramCase): SqlFunction | undefined {
  try {
    return sqlFunction(program, { task: TASK, inputs })
  } catch (error) {
    if (error instanceof CannotSay) return undefined
    throw error
  }
}

/** True for a program that can be said in Postgres. */
export function isInSql(one: ProgramCase): boolean {
  return written(one) !== undefined
}

/** Runs the programs that Postgres can say as functions, each with the examples of its comment. */
export async function compareSql(client: pg.ClientBase, cases: readonly ProgramCase[]): Promise<Comparison> {
  const differences: string[] = []
  let [programs, inputs] = [0, 0]
  for (const one of cases) {
    const found = written(one)
    if (found === undefined) continue
    programs++
    inputs += await compareOne(client, found, one, differences)
  }
  return { programs, inputs, differences }
}

async function compareOne(
  client: pg.ClientBase,
  found: SqlFunction,
  { name, program, inputs }: ProgramCase,
  differences: string[],
): Promise<number> {
  const expected = expectedOf(program, inputs)
  const calls = inputs.flatMap((input, at) => {
    const args = argumentsOf(found.columns, input)
    const wanted = expected[at]
    if (args === undefined || wanted === undefined || 'bound' in wanted) return []
    // Postgres holds neither half a surrogate pair nor U+0000.
    if ('output' in wanted && !canBeHeld(wanted.output)) return []
    return [{ call: `${found.name}(${args.join(', ')})`, input, wanted: 'output' in wanted ? wanted.output : null }]
  })
  const examples = [...found.source.matchAll(/^-- SELECT (.*); -- (.*)$/gm)].map(([, call = '', output = '']) => ({
    call,
    input: call,
    wanted: JSON.parse(output) as Json,
  }))
  const rows = [...calls, ...examples]
  try {
    const answers = await answersOf(
      client,
      found,
      rows.map(({ call }) => call),
    )
    for (const [at, { input, wanted }] of rows.entries()) {
      const got = answers[at] ?? null
      if (canonicalJson(got) === canonicalJson(wanted)) continue
      differences.push(
        `${name} of ${JSON.stringify(input)}: ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}\n${found.source}`,
      )
    }
  } catch (error) {
    differences.push(`${name}: ${String(error)}\n${found.source}`)
  }
  return calls.length
}

async function answersOf(
  client: pg.ClientBase,
  { name, source }: SqlFunction,
  calls: readonly string[],
): Promise<readonly Json[]> {
  const values = calls.map((call, at) => `SELECT ${at} AS at, ${call} AS answer`).join(' UNION ALL ')
  const select = calls.length === 0 ? 'SELECT 1' : `SELECT answer FROM (${values}) AS answers ORDER BY at`
  const drop = `DROP FUNCTION ${name}`
  const results: unknown = await client.query(`${source}; ${select}; ${drop}`)
  const rows =
    (results as readonly pg.QueryResult<{ answer: Json }>[]).find(({ command }) => command === 'SELECT')?.rows ?? []
  return calls.length === 0 ? [] : rows.map(({ answer }) => answer)
}

function canBeHeld(value: Json): boolean {
  return typeof value === 'string' ? isHeld(value) : !Array.isArray(value) || value.every(canBeHeld)
}
