/** The path of a field as errors name it: `examples[3].output`; `whole` for a path without steps. */
export function fieldPath(path: readonly PropertyKey[], whole: string): string {
  const text = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('')
  return text.replace(/^\./, '') || whole
}
