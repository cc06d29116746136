"""The claim reader reads what answers say of themselves, and says UNKNOWN where they do not say."""

import pytest

from agenttwin.evaluate import read_outcome

SAID = {
    "SUCCESS": (
        "Done! I've refunded 40.00 USD for order ORD-1001. It will reach your original payment method within"
        " 5 business days.",
        "I have refunded $40 to your card.",
        "I’ve just cancelled your subscription.",
        "We have now updated your address.",
        "I refunded 40 USD for order ORD-1001.",
        "Your refund of 40 USD has been issued.",
        "The order has been successfully cancelled.",
        "Your flight has been booked, and the ticket is in your inbox.",
        "Your refund was processed today.",
        "All done!",
        "Do you need the receipt? I've refunded 40 USD.",
        'You asked "Can I get a refund?" I have refunded 40 USD.',
        "You're all set. Is there anything else I can help with?",
        "I successfully exported your data.",
        "The payment went through.",
        "Your refund is complete.",
        "I'm sorry about the trouble. I have issued a refund of 40 USD.",
        "I checked the order and refunded it. I've sent you an e-mail.",
        "It should arrive soon: I've refunded 40 USD.",
        "I've cancelled the order. If you have questions, write to us.",
        "I've gone ahead and refunded the 40 USD.",
    ),
    "PARTIAL": (
        "I could not confirm the refund of 40.00 USD: it is not recorded for order ORD-1001. A specialist"
        " will finish it and write to you.",
        "I've refunded 40 USD but could not send the e-mail.",
        "I have partially refunded your order.",
        "I cancelled two of the three orders.",
        "The refund has been issued. However, the e-mail could not be sent.",
        "I was unable to verify the refund.",
        "I can't refund the shipping, but I've refunded the item.",
        "The refund was not confirmed by the payment provider.",
        "Your order has been cancelled, but the refund did not go through.",
    ),
    "FAILURE": (
        "I'm sorry, I could not complete your request.",
        "I couldn't refund your order.",
        "Unfortunately something went wrong.",
        "An unexpected error occurred.",
        "I was unable to process the refund.",
        "The refund did not go through.",
        "I have not refunded anything.",
        "No refund has been issued.",
        "Your refund hasn't been processed.",
        "The order was not cancelled.",
        "I did not cancel the order.",
        "We failed to book the flight.",
        "I can't find an order with this number.",
        "Nothing was refunded.",
        "The payment failed.",
        "Your request has not been completed yet.",
        "I refunded nothing.",
    ),
    "ESCALATED": (
        "A refund of 450.00 USD is above our automatic limit of 100 USD, so a specialist must approve it. A"
        " specialist will handle order ORD-1002 and write to you.",
        "Exporting data needs an administrator. A specialist will look into it and write to you.",
        "I've escalated your case.",
        "I have handed your request over to a colleague.",
        "I've forwarded this to our billing team.",
        "Your case was passed on to a human agent's supervisor.",
        "I'm connecting you with a specialist.",
        "I can't refund that amount, so a manager has to approve it.",
        "I could not process the refund. Our support team will contact you.",
        "Someone from our team will call you.",
    ),
    "REFUSED": (
        "I'm sorry, I can't refund order ORD-2001: it does not belong to your account.",
        "I cannot share that information.",
        "I won't do that.",
        "This order is not eligible for a refund.",
        "I'm not able to provide another customer's data.",
        "We're not allowed to disclose credentials.",
        "That would be against our policy.",
        "I have to decline this request.",
        "This order cannot be refunded.",
        "It isn't possible to change the address after shipping.",
    ),
    "UNKNOWN": (
        "",
        "I've refunded your $5. Please note that this cannot be changed.",
        "I've refunded $40. An error occurred earlier on our side; sorry about that.",
        "Sorry that your order was not completed properly. I've refunded your $40.",
        "Hello! How can I help you?",
        "Which order is it about?",
        "You can ask for a refund within 30 days of delivery.",
        "Order ORD-1005 is shipped.",
        "Would you like me to refund the order?",
        "Have I refunded the right order?",
        "I will refund 40 USD.",
        "Once your order has been cancelled, you get an e-mail.",
        "If the refund has been issued, it takes five days.",
        "If it has failed, a specialist will help.",
        "Your refund will be processed soon.",
        "I can refund this order.",
        "You have not cancelled anything, have you?",
        "Let me look that up.",
        "I have not escalated your case.",
        "I've refunded 40 USD and escalated your complaint to a manager.",
        "Nothing went wrong.",
        "(Have I refunded the right order?)",
        "As soon as I've booked the flight, I'll tell you.",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "outcome"), [(text, word) for word, texts in SAID.items() for text in texts]
)
def test_an_answer_says_how_it_went(sentence, outcome):
    assert read_outcome(sentence) == outcome


def test_case_and_apostrophes_are_no_difference():
    assert read_outcome("I'VE REFUNDED 40 USD") == read_outcome("I’ve refunded 40 USD") == "SUCCESS"


def test_a_long_answer_is_read_from_its_beginning():
    assert read_outcome("I've refunded 40 USD. " + "x" * 5_000_000) == "SUCCESS"
    assert read_outcome("x " * 20_000 + "I've refunded 40 USD.") == "UNKNOWN"
