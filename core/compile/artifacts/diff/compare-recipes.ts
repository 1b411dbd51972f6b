import { canonicalJson, type Json } from '../../../kernel/json/json.ts'
import type { RecipeLine } from '../../wire/facts/recipe-lines.ts'
import type { RecipeDescription } from './describe-recipe.ts'

/** The value of each side under one name; null where a side has none. */
export interface SideBySide<T> {
  readonly name: string
  readonly a: T | null
  readonly b: T | null
  readonly same: boolean
}

/** Labels of one place of the answer. */
export interface ComparedLabels {
  readonly place: string
  readonly onlyA: readonly Json[]
  readonly onlyB: readonly Json[]
  /** Labels of both. */
  readonly shared: number
}

/** Two recipes side by side. */
export interface ComparedRecipes {
  readonly a: { readonly kind: string; readonly lines: readonly RecipeLine[] }
  readonly b: { readonly kind: string; readonly lines: readonly RecipeLine[] }
  readonly programs: readonly SideBySide<string>[]
  readonly labels: readonly ComparedLabels[]
  readonly settings: readonly SideBySide<Json>[]
}

/** Puts two recipes side by side: programs by the place that they answer, labels as sets, settings by name. */
export function compareRecipes(a: RecipeDescription, b: RecipeDescription): ComparedRecipes {
  return {
    a: { kind: a.kind, lines: a.lines },
    b: { kind: b.kind, lines: b.lines },
    programs: sideBySide(a.programs, b.programs, (one, other) => one === other),
    labels: namesOf(a.labels, b.labels).map((place) =>
      compareLabels(place, a.labels.get(place) ?? [], b.labels.get(place) ?? []),
    ),
    settings: sideBySide(a.settings, b.settings, (one, other) => canonicalJson(one) === canonicalJson(other)),
  }
}

function compareLabels(place: string, a: readonly Json[], b: readonly Json[]): ComparedLabels {
  const [ofA, ofB] = [a, b].map((labels) => new Set(labels.map((label) => canonicalJson(label))))
  const onlyA = a.filter((label) => ofB?.has(canonicalJson(label)) !== true)
  const onlyB = b.filter((label) => ofA?.has(canonicalJson(label)) !== true)
  return { place, onlyA, onlyB, shared: a.length - onlyA.length }
}

function sideBySide<T>(
  a: ReadonlyMap<string, T>,
  b: ReadonlyMap<string, T>,
  isSame: (one: T, other: T) => boolean,
): readonly SideBySide<T>[] {
  return namesOf(a, b).map((name) => {
    const [one, other] = [a.get(name), b.get(name)]
    const same = one !== undefined && other !== undefined && isSame(one, other)
    return { name, a: one ?? null, b: other ?? null, same }
  })
}

function namesOf(a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>): readonly string[] {
  return [...new Set([...a.keys(), ...b.keys()])]
}
