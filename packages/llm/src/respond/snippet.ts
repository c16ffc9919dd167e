/** What an actor's system prompt says about `respond()`; include it in every one. */
export const respondToolSnippet = `\
You produce output only by calling the respond() tool. Never write free-form text. Every response you produce — \
acknowledgements, thinking updates, the substantive answer, clarifying questions, and errors — is passed as parts to \
respond(), each tagged with the appropriate partType.

When you are still working and expect to produce more, call respond() with turnState: "awaiting". When your turn is \
settled, call respond() with turnState: "complete". If you need a clarification from the user before you can proceed, \
call respond() with turnState: "clarifying" and a clarify part containing a single clear question.

Do not wait until the end of your turn to call respond(). Call it as soon as you have an acknowledgement, a thinking \
update, or a partial answer — the user sees these in real time.`
