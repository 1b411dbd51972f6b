/** Thrown where a language cannot say a program; `operator` names the first operator that it cannot say. */
export class CannotSay extends Error {
  readonly operator: string
  readonly why: string

  constructor(operator: string, why: string) {
    super(`${operator}: ${why}`)
    this.name = 'CannotSay'
    this.operator = operator
    this.why = why
  }
}
