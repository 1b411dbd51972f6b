/** Helpers and constants that a program uses, by their names. */
export class Uses {
  readonly helpers = new Set<string>()
  /** Constants in the order of first use: name to code. */
  readonly constants = new Map<string, string>()

  /** Tables that helpers read, by their entries. */
  readonly tables = new Map<string, Map<string, string>>()

  /** Adds an entry to a table. */
  entry(table: string, key: string, code: string): void {
    const entries = this.tables.get(table) ?? new Map<string, string>()
    this.tables.set(table, entries.set(key, code))
  }

  /** Marks a helper as used and returns its name. */
  helper(name: string): string {
    this.helpers.add(name)
    return name
  }

  /** Returns the name of a constant with this value: the wanted one, or with a number when that is taken. */
  constant(wanted: string, code: string): string {
    for (let number = 1; ; number++) {
      const name = number === 1 ? wanted : `${wanted}_${number}`
      const known = this.constants.get(name)
      if (known === code) return name
      if (known !== undefined) continue
      this.constants.set(name, code)
      return name
    }
  }
}
