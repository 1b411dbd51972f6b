import { isJsonObject, type Json } from '../../../kernel/json/json.ts'
import { equalityBelow } from '../../rows/equality/same-output.ts'
import type { Expr } from '../../language/ast.ts'
import { NO_ANSWER } from '../search/build.ts'
import type { JsonNode } from '../search/node.ts'
import { unlabelledOf, type Workspace } from './workspace.ts'
import { costOf, type Cost } from '../ranking/cost.ts'

const MAX_MEMBERS = 40
const MAX_DEPTH = 4

interface Member {
  readonly name: string
  readonly value: Expr
  readonly cost: Cost
  readonly optional: boolean
}

function memberNames(targets: readonly Json[]): string[] {
  const names = new Set<string>()
  for (const target of targets) if (isJsonObject(target)) for (const name of Object.keys(target)) names.add(name)
  return [...names]
}

function solveMember(workspace: Workspace, rows: readonly number[], name: string): Member | undefined {
  const { problem, budget } = workspace
  const inputs: Json[] = []
  const targets: Json[] = []
  const presence: boolean[] = []
  for (const row of rows) {
    const target = problem.targets[row]
    const value = isJsonObject(target) && Object.hasOwn(target, name) ? target[name] : undefined
    presence.push(value !== undefined)
    if (value === undefined) continue
    inputs.push(problem.inputs[row] ?? null)
    targets.push(value)
  }
  inputs.push(...unlabelledOf(problem))
  const equality = equalityBelow(problem.equality, name)
  const part = { root: problem.root, inputs, targets, equality, depth: problem.depth + 1 }
  const found = budget.within(Math.ceil(budget.remaining / 2), (own) => workspace.solve(part, 1, own)[0], undefined)
  if (found === undefined) return undefined
  if (presence.every(Boolean)) return { name, value: found.expr, cost: found.cost, optional: false }
  const guard = workspace.predicates().find(({ holds }) => rows.every((row, i) => holds[row] === presence[i]))
  if (guard === undefined) return { name, value: found.expr, cost: found.cost.with('object.optional'), optional: true }
  // A member without an answer is left out.
  const value: Expr = { op: 'if', cond: guard.expr, then: found.expr, else: NO_ANSWER }
  return { name, value, cost: found.cost.with('object.optional').plus(guard.cost), optional: true }
}

/** Builds the target object member by member; a condition decides on members that some rows lack. */
export function solveObjects(workspace: Workspace, rows: readonly number[], _k: number): JsonNode[] {
  const { problem } = workspace
  if (problem.depth >= MAX_DEPTH) return []
  const names = memberNames(rows.map((row) => problem.targets[row] ?? null))
  if (names.length > MAX_MEMBERS) return []
  const members: Member[] = []
  for (const name of names) {
    const member = solveMember(workspace, rows, name)
    if (member === undefined) return []
    members.push(member)
  }
  const expr: Expr = {
    op: 'object',
    members: members.map(({ name, value, optional }) => (optional ? { name, value, optional } : { name, value })),
  }
  const cost = members.reduce((sum, member) => sum.plus(member.cost), costOf('object'))
  const values = problem.targets.map((target, row) => (rows.includes(row) ? target : undefined))
  return [{ expr, cost, values }]
}
