import type { JsonObject } from '../../../core/kernel/json/json.ts'

/** A word that stands in every row. */
export const CANARY = 'zzcanaryzz'
/** Answers the input itself. */
export const SAME_PROGRAM: JsonObject = { language: 'svc-recipe-1', body: { op: 'input' } }

/** Rows whose output is the input in capitals, which the candidate alone has right. */
export function capitals(count: number, from = 0): readonly { readonly input: string; readonly output: string }[] {
  return Array.from({ length: count }, (_, at) => {
    const input = `${CANARY} row ${from + at}`
    return { input, output: input.toUpperCase() }
  })
}

/** Rows whose output is the input: those that the baseline has right. */
export function sames(count: number, from = 0): readonly { readonly input: string; readonly output: string }[] {
  return capitals(count, from).map(({ input }) => ({ input, output: input }))
}
