/** What an actor's system prompt says about `respond()`; include it in every one. */
export const respondToolSnippet = `\
Everything you say goes through the respond() tool, and nothing is said in any other way. Do not write plain text: text
outside respond() reaches nobody. Acknowledgements, progress notes while you think, the actual answer, questions back and
failures are all parts of a respond() call, and each part names what it is in metadata.partType.

Each call states in turnState where your turn stands:
- "awaiting": you are still at work and there is more to come.
- "complete": your turn is settled and you have nothing to add.
- "clarifying": you cannot go on before the user has answered. Add one part of type "clarify" that asks a single clear
  question.

Call respond() early and as often as there is something to say. As soon as you can acknowledge the request, report
progress or give part of the answer, do it: the user sees each call while it happens, so never save everything up for the
end of your turn.`
