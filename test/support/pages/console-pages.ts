/** A page of the console, as far as tests read it. */
export interface ConsolePage {
  readonly title: string
  readonly isOfOne?: true
}

/** The lists of `console/pages/index.js`: pages for people who are signed in, and for those who are not. */
export interface ConsolePages {
  readonly PAGES: Readonly<Record<string, ConsolePage>>
  readonly FRONT: ConsolePage
  readonly SIGN_IN: ConsolePage
  /** The pages of mailed links. */
  readonly LINKS: Readonly<Record<string, ConsolePage>>
}

const INDEX = new URL('../../../console/pages/index.js', import.meta.url).href

/** Reads the console's own lists of its pages. By address: types of the browser stay out of those of the project. */
export async function readConsolePages(): Promise<ConsolePages> {
  const lists: ConsolePages = await import(INDEX)
  return lists
}
