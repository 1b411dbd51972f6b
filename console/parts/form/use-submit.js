import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { fieldErrorsOf } from './field-errors.js'

/**
 * The working state of a form: one submission at a time, and its error. The focus moves to the first field that is
 * wrong.
 *
 * @param {(data: FormData, form: HTMLFormElement) => Promise<unknown>} perform may throw
 */
export function useSubmit(perform) {
  const [error, setError] = useState(/** @type {unknown} */ (undefined))
  const [isWorking, setIsWorking] = useState(false)
  const ref = useRef(/** @type {HTMLFormElement | null} */ (null))
  const errors = useMemo(() => fieldErrorsOf(error), [error])
  useEffect(() => {
    const wrong = ref.current?.querySelector('[aria-invalid=true]')
    if (wrong instanceof HTMLElement) wrong.focus()
  }, [errors])
  const isRunning = useRef(false)
  const onSubmit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault()
    const form = ref.current
    if (form === null || isRunning.current) return
    isRunning.current = true
    setError(undefined)
    setIsWorking(true)
    perform(new FormData(form), form)
      .catch(setError)
      .finally(() => {
        isRunning.current = false
        setIsWorking(false)
      })
  }
  return { ref, error, errors, isWorking, onSubmit }
}
