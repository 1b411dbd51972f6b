import { writeFileSync } from 'node:fs'

// Writes the classes of UTF-16 units into the interpreter's table, from the Unicode data of the running Node.
//   npm run unicode-classes
// The table changes with a version of the language only, so this refuses another version of Unicode.

const VERSION = '17.0'
if (process.versions.unicode !== VERSION)
  throw new Error(`the table is of Unicode ${VERSION}, not ${process.versions.unicode}`)

/** A letter for each class; a unit of none of them has `_`. */
const CLASSES: readonly (readonly [string, RegExp])[] = [
  ['l', /\p{Ll}/u],
  ['u', /\p{Lu}/u],
  ['o', /\p{L}/u],
  ['m', /\p{M}/u],
  ['d', /\p{Nd}/u],
  ['s', /[\p{White_Space}\ufeff]/u],
  ['c', /\p{Sc}/u],
  ['p', /[\p{P}\p{S}]/u],
]

let runs = ''
let last = ''
let length = 0
for (let unit = 0; unit <= 0xffff + 1; unit++) {
  const isSurrogate = unit >= 0xd800 && unit <= 0xdfff
  const char = String.fromCharCode(unit)
  const name = unit > 0xffff ? '' : isSurrogate ? '_' : (CLASSES.find(([, test]) => test.test(char))?.[0] ?? '_')
  if (name === last) length++
  else {
    if (length > 0) runs += last + (length === 1 ? '' : length.toString())
    last = name
    length = 1
  }
}
const lines = runs.match(/.{1,106}(?=[a-z_])|.{1,107}$/g) ?? []
writeFileSync(
  new URL('../../../../core/compile/language/primitives/text/unicode-classes.ts', import.meta.url),
  `// Written by test/compile/core/language/write-unicode-classes.ts from Unicode ${VERSION}; do not edit.

/** The version of Unicode whose categories the classes of the language follow. */
export const UNICODE_VERSION = '${VERSION}'

/**
 * The classes of the units from U+0000 to U+FFFF in runs: a letter, then the length of the run where it is above 1. \`l\`
 * Ll, \`u\` Lu, \`o\` other L, \`m\` M, \`d\` Nd, \`s\` white space, \`c\` Sc, \`p\` other P and S, \`_\` none.
 */
export const UNICODE_RUNS =
${lines.map((line) => `  '${line}'`).join(' +\n')}
`,
)
