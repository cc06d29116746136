// One conversation of the Vercel AI SDK with the twin over MCP, played by its mock model; the story on standard output.
import { createMCPClient } from "@ai-sdk/mcp";
import { generateText, stepCountIs } from "ai";
import { MockLanguageModelV3 } from "ai/test";

const [url, script] = [process.argv[2], JSON.parse(process.argv[3])];
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
let turn = 0;

const model = new MockLanguageModelV3({
  doGenerate: async () => {
    const calls = script.turns[turn] ?? [];
    turn += 1;
    const content = calls.map(([toolName, input], index) => ({
      type: "tool-call", toolCallId: `call-${turn}-${index}`, toolName, input: JSON.stringify(input),
    }));
    if (content.length === 0) content.push({ type: "text", text: script.done });
    const finishReason = { unified: calls.length ? "tool-calls" : "stop", raw: undefined };
    return { content, finishReason, usage, warnings: [] };
  },
});

const client = await createMCPClient({ transport: { type: "http", url } });
try {
  const result = await generateText({ model, tools: await client.tools(), prompt: "Refund me.", stopWhen: stepCountIs(10) });
  const failed = result.steps.flatMap((step) => step.content).filter((part) => part.type === "tool-error");
  console.log(JSON.stringify({ said: result.text, failed: failed.map((part) => String(part.error)) }));
} finally {
  await client.close();
}
