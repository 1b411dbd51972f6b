import type { TermFinder } from '../../../core/gateway/gate/privacy/scan/scan-text.ts'
import type { Json } from '../../../core/kernel/json/json.ts'

/** Returns true when a text of the value, at any depth, holds one of the terms. */
export function holdsTerm(value: Json, finder: TermFinder): boolean {
  if (typeof value === 'string') {
    let isFound = false
    finder.find(value, () => {
      isFound = true
    })
    return isFound
  }
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some((each) => holdsTerm(each as Json, finder))
}
