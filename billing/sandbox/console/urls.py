"""Addresses of the console."""

from django.urls import path

from billing.sandbox.console import chrome, fault_pages, mail_pages, pages

app_name = "console"
urlpatterns = [
    path("", pages.home, name="home"),
    path("travel", pages.travel, name="travel"),
    path("customers", pages.customers, name="customers"),
    path("customers/<path:handle>", pages.customer, name="customer"),
    path("events", pages.events, name="events"),
    path("events/<str:handle>", pages.event, name="event"),
    path("events/<str:handle>/redeliver", pages.redeliver, name="redeliver"),
    path("inbox", mail_pages.inbox, name="inbox"),
    path("inbox/<str:key>", mail_pages.message, name="message"),
    path("inbox/<str:key>/body", mail_pages.message_body, name="message-body"),
    path("trouble", fault_pages.faults, name="faults"),
    path("trouble/order", fault_pages.order, name="order-fault"),
    path("trouble/clear", fault_pages.clear, name="clear-faults"),
    path("assets/console.css", chrome.stylesheet, name="stylesheet"),
    path("assets/icon.svg", chrome.icon, name="icon"),
]
