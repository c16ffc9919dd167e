import { useState } from 'preact/hooks'
import { act, type ApiError } from './api.ts'
import { Problem } from './bits.tsx'

export function SignIn({ error, onDone }: { readonly error: ApiError; readonly onDone: () => void }) {
  const [token, setToken] = useState('')
  const [problem, setProblem] = useState<ApiError | undefined>(error.status === 401 ? undefined : error)
  const submit = (event: Event) => {
    event.preventDefault()
    act('session', { token }).then(onDone, setProblem)
  }
  return (
    <main class="sign-in">
      <h1>Inspector</h1>
      <p>
        On this machine, open the link that the agent printed when it started. From elsewhere, sign in with the token of
        an operator.
      </p>
      <form onSubmit={submit}>
        <label>
          Token
          <input
            type="password"
            autocomplete="off"
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary" disabled={token === ''}>
          Sign in
        </button>
      </form>
      <Problem error={problem} />
    </main>
  )
}
