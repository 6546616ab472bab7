from django.db import migrations, models
from django.db.models.functions import Cast


def copy_dates(apps, schema_editor):
    """Fill the new column from the bodies."""
    transactions = apps.get_model("sandbox", "Transaction").objects
    transactions.update(dated_at=Cast("body__date", models.BigIntegerField()))


class Migration(migrations.Migration):
    dependencies = [
        ("sandbox", "0007_created_indexes"),
    ]

    operations = [
        migrations.AddField(
            model_name="transaction",
            name="dated_at",
            field=models.BigIntegerField(db_index=True, default=0),
            preserve_default=False,
        ),
        migrations.RunPython(copy_dates, migrations.RunPython.noop),
        migrations.AddIndex(
            model_name="coupon",
            index=models.Index(fields=["updated_at", "seq"], name="coupon_updated"),
        ),
        migrations.AddIndex(
            model_name="couponcode",
            index=models.Index(fields=["updated_at", "seq"], name="couponcode_updated"),
        ),
        migrations.AddIndex(
            model_name="couponset",
            index=models.Index(fields=["updated_at", "seq"], name="couponset_updated"),
        ),
        migrations.AddIndex(
            model_name="creditnote",
            index=models.Index(fields=["updated_at", "seq"], name="creditnote_updated"),
        ),
        migrations.AddIndex(
            model_name="customer",
            index=models.Index(fields=["updated_at", "seq"], name="customer_updated"),
        ),
        migrations.AddIndex(
            model_name="invoice",
            index=models.Index(fields=["updated_at", "seq"], name="invoice_updated"),
        ),
        migrations.AddIndex(
            model_name="item",
            index=models.Index(fields=["updated_at", "seq"], name="item_updated"),
        ),
        migrations.AddIndex(
            model_name="itemfamily",
            index=models.Index(fields=["updated_at", "seq"], name="itemfamily_updated"),
        ),
        migrations.AddIndex(
            model_name="itemprice",
            index=models.Index(fields=["updated_at", "seq"], name="itemprice_updated"),
        ),
        migrations.AddIndex(
            model_name="paymentintent",
            index=models.Index(fields=["updated_at", "seq"], name="paymentintent_updated"),
        ),
        migrations.AddIndex(
            model_name="paymentsource",
            index=models.Index(fields=["updated_at", "seq"], name="paymentsource_updated"),
        ),
        migrations.AddIndex(
            model_name="promotionalcredit",
            index=models.Index(fields=["updated_at", "seq"], name="promotionalcredit_updated"),
        ),
        migrations.AddIndex(
            model_name="ramp",
            index=models.Index(fields=["updated_at", "seq"], name="ramp_updated"),
        ),
        migrations.AddIndex(
            model_name="subscription",
            index=models.Index(fields=["updated_at", "seq"], name="subscription_updated"),
        ),
        migrations.AddIndex(
            model_name="token",
            index=models.Index(fields=["updated_at", "seq"], name="token_updated"),
        ),
        migrations.AddIndex(
            model_name="transaction",
            index=models.Index(fields=["updated_at", "seq"], name="transaction_updated"),
        ),
        migrations.AddIndex(
            model_name="unbilledcharge",
            index=models.Index(fields=["updated_at", "seq"], name="unbilledcharge_updated"),
        ),
    ]
